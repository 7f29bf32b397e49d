import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { errors } from 'undici';
import { firstBytes, firstOfText, maxAnswerTextBytes } from '../queue/delivery-log.js';

/** Beginning of an interim answer; `#` is a digit. */
const beginning = 'HTTP/1.# 1##';
const digit = '#'.charCodeAt(0);
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];
const headEnd = '\r\n\r\n';
/** As much as undici takes for headers by default. */
const maxHeadBytes = 16 * 1_024;
/** Maximum bytes of an answer including interim answers, headers and chunk sizes: many times what is logged of a body. */
const maxBytes = 128 * 1_024;
/** Maximum bytes passed on at once: undici parses all that it is given, even after it has refused the beginning. */
const pieceBytes = 1_024;

/**
 * Reads answers from a connection for undici, which closes the connection at a `100 Continue`: interim answers (1xx)
 * are skipped, any number of them (RFC 9110 §15.2). An endless answer closes the connection: undici limits headers and
 * body only, and reading the rest would delay all other listeners.
 */
export class AnswerReader {
  private isExpected = false;
  private expected = 0;
  private bytes = 0;
  /** The received part of an incomplete interim answer. */
  private begun: Buffer | undefined;
  private readonly read: (size?: number) => Buffer | null;

  /** From now on, reads from the socket return the filtered answer. */
  constructor(private readonly socket: Socket) {
    this.read = socket.read.bind(socket) as (size?: number) => Buffer | null; // no encoding is set
    // The stream itself reads 0 bytes where it wants nothing but more to come.
    socket.read = (size?: number) => (size === undefined ? this.next() : this.read(size));
  }

  /** A request is about to be written: what comes next is an answer. */
  expect(): void {
    this.isExpected = true;
    this.expected += 1;
    this.bytes = 0;
  }

  /** There has been an answer, and not a byte of the one that is expected now. */
  get isSilentAgain(): boolean {
    return this.expected > 1 && this.bytes === 0;
  }

  /** Null where nothing else has come yet. */
  private next(): Buffer | null {
    for (;;) {
      const { readableLength, destroyed } = this.socket;
      const chunk = destroyed ? null : this.read(readableLength > pieceBytes ? pieceBytes : undefined);
      if (!chunk) return null;
      this.bytes += chunk.length;
      if (this.bytes > maxBytes) {
        this.socket.destroy(new errors.ResponseExceededMaxSizeError());
        return null;
      }
      const passedOn = this.isExpected ? this.leaveOut(chunk) : chunk;
      if (passedOn) return passedOn;
    }
  }

  /** Undefined where nothing is left of it. */
  private leaveOut(chunk: Buffer): Buffer | undefined {
    let rest = this.begun ? Buffer.concat([this.begun, chunk]) : chunk;
    this.begun = undefined;
    while (rest.length > 0) {
      const end = endOfInterim(rest);
      if (end === 'none') {
        this.isExpected = false;
        return rest;
      }
      if (end === 'to come') {
        this.begun = rest;
        return undefined;
      }
      rest = rest.subarray(end);
    }
    return undefined;
  }
}

/** End of an interim answer at the beginning; undefined if there is none. */
function endOfInterim(bytes: Buffer): number | 'none' | 'to come' {
  for (let at = 0; at < beginning.length; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return 'to come';
    const expected = beginning.charCodeAt(at);
    if (expected === digit ? byte < zero || byte > nine : byte !== expected) return 'none';
  }
  const end = bytes.indexOf(headEnd);
  if (end >= 0) return end + headEnd.length;
  return bytes.length < maxHeadBytes ? 'to come' : 'none';
}

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
