import { hash } from 'node:crypto';

const shortName = 300;

/**
 * RFC 9562 §5.5. Several are made for every flow event; Node's one-shot hash takes a fraction of the time of libraries.
 */
export function uuidV5(namespace: string): (name: string) => string {
  const prefix = bytesOfUuid(namespace);
  const buffer = Buffer.concat([prefix, Buffer.alloc(3 * shortName)]); // UTF-8 takes at most three bytes for each UTF-16 unit
  const bytesOf = (name: string): Buffer =>
    name.length <= shortName
      ? buffer.subarray(0, prefix.length + buffer.write(name, prefix.length))
      : Buffer.concat([prefix, Buffer.from(name)]);
  return (name) => {
    const digest = hash('sha1', bytesOf(name), 'hex');
    const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
    const [low, middle, high] = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(13, 16)];
    return `${low}-${middle}-5${high}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  };
}

export const bytesOfUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

export const uuidOfBytes = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
