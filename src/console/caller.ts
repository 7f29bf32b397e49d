import type { AdminRole } from '../access/admin-keys.js';

/** User of the console. `orgId` null: every organisation. */
export type Caller = { readonly actor: string; readonly role: AdminRole; readonly orgId: string | null };
