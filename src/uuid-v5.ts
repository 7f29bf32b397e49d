import { hash } from 'node:crypto';

/**
 * Names things by UUIDv5 (RFC 9562 §5.5) within a namespace, which is a UUID. Several are made for every flow event, and
 * Node's one-shot hash makes one in a fraction of the time that libraries take.
 */
export function uuidV5(namespace: string): (name: string) => string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  return (name) => {
    const digest = hash('sha1', Buffer.concat([prefix, Buffer.from(name)]), 'hex');
    const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
    const parts = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`];
    return [...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
  };
}
