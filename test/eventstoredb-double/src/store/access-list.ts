import type { EventLog } from './event-log.js';
import { describedBy, metastreamOf, parseMetadata } from './retention.js';

export type Access = 'read' | 'write' | 'delete';

const fields = { read: '$r', write: '$w', delete: '$d' };
const metadataFields = { read: '$mr', write: '$mw', delete: '$mw' };

/**
 * Users and groups with this access to a stream, `$all` for every user: by the list in its metadata, else by the list in the
 * stream `$settings` for streams of its kind, else everyone for those of users and administrators for those of the system.
 */
export function rolesWith(access: Access, log: EventLog, name: string): readonly string[] {
  const described = describedBy(name);
  const stream = described ?? name;
  const field = (described === undefined ? fields : metadataFields)[access];
  const isSystem = stream.startsWith('$');
  const own = lastObject(log, metastreamOf(stream)).$acl;
  const ofKind = lastObject(log, '$settings')[isSystem ? '$systemStreamAcl' : '$userStreamAcl'];
  return listed(own, field) ?? listed(ofKind, field) ?? [isSystem ? '$admins' : '$all'];
}

const lastObject = (log: EventLog, stream: string) =>
  parseMetadata(log.stream(stream).events.at(-1)?.data ?? new Uint8Array());

/** A list names one role, or several. */
function listed(list: unknown, field: string): readonly string[] | undefined {
  // An object that JSON.parse made has string keys and unknown values.
  const roles = (list as Record<string, unknown> | undefined)?.[field];
  return roles === undefined ? undefined : [roles].flat().map(String);
}
