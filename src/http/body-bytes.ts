import type { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { InvalidRequest } from '../kernel/domain-error.js';
import type { Context } from './context.js';
import { PayloadTooLarge, UnsupportedMediaType } from './errors.js';

/** Content codings (RFC 9110 §8.4.1), by name. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

const acceptedCodings = 'gzip, deflate, br';

/** Lower case; `identity` if none is declared. */
export const contentCodingOf = ({ req }: Pick<Context, 'req'>): string =>
  req.headers['content-encoding']?.trim().toLowerCase() || 'identity';

/**
 * The body, decompressed. Leaves the rest of a body that is too large unread. Throws `UnsupportedMediaType`, `PayloadTooLarge`, and
 * `InvalidRequest` where it cannot be decompressed or broke off.
 */
export function readBytes(ctx: Pick<Context, 'req'>, maxBytes: number): Promise<Buffer> {
  const { req } = ctx;
  const coding = contentCodingOf(ctx);
  const tooLarge = () => new PayloadTooLarge(`the body is over the limit of ${maxBytes} bytes`);
  const decoder = decoderOf(coding);
  if (!decoder && Number(req.headers['content-length']) > maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const source = decoder ? req.pipe(decoder) : req;
    const chunks: Buffer[] = [];
    let bytes = 0;

    function fail(error: Error): void {
      source.off('data', keep);
      if (decoder) req.unpipe(decoder);
      decoder?.destroy();
      req.pause();
      reject(error);
    }

    function keep(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(tooLarge());
      else chunks.push(chunk);
    }

    source.on('data', keep);
    source.once('end', () => resolve(Buffer.concat(chunks)));
    decoder?.once('error', () =>
      fail(new InvalidRequest(`the body cannot be decompressed: it is not valid ${coding}`)),
    );
    req.once('error', () => fail(new InvalidRequest('the body broke off')));
  });
}

function decoderOf(coding: string): Transform | undefined {
  if (coding === 'identity') return undefined;
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (!decoder)
    throw new UnsupportedMediaType(`Content-Encoding: ${coding} is not supported: send ${acceptedCodings} or none`);
  return decoder();
}
