import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { firstBytes, firstOfText, maxAnswerTextBytes } from '../../queue/delivery-log.js';

/**
 * Beginning of an answer's body as text, for the delivery log; undefined if empty or in an unsupported
 * `content-encoding`. Invalid UTF-8 is replaced.
 */
export function answerText(
  body: Buffer,
  encoding: string | undefined,
): string | undefined | Promise<string | undefined> {
  if (body.length === 0) return undefined;
  const coding = encoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return firstText(body);
  const decoder = decoderOf(coding, body);
  return (
    decoder && beginningOf(decoder, body).then((decoded) => (decoded.length === 0 ? undefined : firstText(decoded)))
  );
}

/** Maximum bytes decoded at a time. */
const chunkSize = maxAnswerTextBytes;
// A long answer is truncated; the part that was read is decoded without its end.
const lenient = { chunkSize, finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = { chunkSize, finishFlush: constants.BROTLI_OPERATION_FLUSH };

function decoderOf(coding: string, body: Buffer): Transform | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(lenient);
  if (coding === 'br') return createBrotliDecompress(lenientBrotli);
  if (coding !== 'deflate') return undefined;
  // RFC 9110 §8.4.1.2: "deflate" is the zlib format, and some senders leave its header out.
  return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient);
}

/** Stops as soon as there is enough, however much more it would become. What cannot be decoded ends it. */
const beginningOf = (decoder: Transform, body: Buffer): Promise<Buffer> =>
  new Promise((resolve) => {
    const decoded: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      decoder.destroy();
      resolve(Buffer.concat(decoded));
    };
    decoder.on('data', (chunk: Buffer) => {
      decoded.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxAnswerTextBytes) end();
    });
    decoder.on('end', end).on('error', end);
    decoder.end(body);
  });

/** Each byte that is replaced becomes three: so it is cut again. */
const firstText = (bytes: Buffer): string => firstOfText(firstBytes(bytes).toString());
