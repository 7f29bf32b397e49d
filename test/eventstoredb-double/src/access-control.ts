import type { Metadata } from '@grpc/grpc-js';
import type { Node } from './node.js';
import { accessDenied, type CallFailure, unauthenticated } from './services/call-failure.js';
import { type Access, rolesWith } from './store/access-list.js';

/** Every user has this password, as the server's first administrator has until it is changed. */
export const password = 'changeit';

/** Failure of a call without the right to this access; undefined where the user of its credentials may do it. */
export function accessFailure(
  { users, store }: Node,
  credentials: Metadata,
  access: Access,
  stream: string,
): CallFailure | undefined {
  if (users.length === 0) return undefined;
  const [header] = credentials.get('authorization');
  if (header === undefined) return accessDenied();
  const [user, given] = Buffer.from(String(header).replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  if (user === undefined || given !== password) return unauthenticated();
  if (user === 'admin') return undefined;
  if (!users.includes(user)) return unauthenticated();
  const roles = rolesWith(access, store.log, stream);
  return roles.includes('$all') || roles.includes(user) ? undefined : accessDenied();
}

/** Throws `accessFailure`. */
export function requireAccess(...call: Parameters<typeof accessFailure>): void {
  const failure = accessFailure(...call);
  if (failure) throw failure;
}
