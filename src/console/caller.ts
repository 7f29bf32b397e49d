import type { AdminRole } from '../access/admin-keys.js';

/** `orgId` null: every organisation. */
export type Caller = { readonly actor: string; readonly role: AdminRole; readonly orgId: string | null };
