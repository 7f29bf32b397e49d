/** A role includes those before it: a viewer reads, an operator changes, an owner also erases and manages keys and clients. */
export const adminRoles = ['viewer', 'operator', 'owner'] as const;

export type AdminRole = (typeof adminRoles)[number];

export type AdminKey = { readonly key: string; readonly role: AdminRole };

/** Admin keys by the name of their holder. */
export type AdminKeys = ReadonlyMap<string, AdminKey>;

/** Whether the holder of a role may do what needs the other one. */
export const includesRole = (role: AdminRole, needed: AdminRole): boolean =>
  adminRoles.indexOf(role) >= adminRoles.indexOf(needed);
