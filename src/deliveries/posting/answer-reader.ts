import type { Socket } from 'node:net';
import { errors } from 'undici';
import { startsAsStatusLine, statusOf, strictHead } from './answer-head.js';

/** Maximum bytes of an answer including interim answers, headers and chunk sizes: many times what is logged of a body. */
export const maxAnswerBytes = 128 * 1_024;

/**
 * Prepares answers on a connection for undici, which closes it at a `100 Continue` and at a header that is not strictly
 * as RFC 9112 says: interim answers (1xx) are skipped, any number of them (RFC 9110 §15.2), and the head of an answer
 * is made strict. An endless answer closes the connection: reading the rest would delay all other listeners.
 */
export class AnswerReader {
  /** Status of the current answer, as soon as its status line has arrived. */
  status: number | undefined;
  private isInHead = false;
  private hasBegun = false;
  private answers = 0;
  /** Bytes read before the current answer. */
  private bytesBefore = 0;
  /** The received part of an incomplete head. */
  private begun: Buffer = empty;

  constructor(private readonly socket: Socket) {
    // Comes before undici's own listener of this event, which finds in the socket's buffer what is put back.
    socket.on('readable', () => this.read());
  }

  /** A request is about to be written: what comes next is an answer. */
  expect(): void {
    this.isInHead = true;
    this.hasBegun = false;
    this.status = undefined;
    this.answers += 1;
    this.bytesBefore = this.socket.bytesRead;
    this.begun = empty;
  }

  /** True after an answer, while no byte of the next one has arrived. */
  get isSilentAgain(): boolean {
    return this.answers > 1 && !this.hasBegun;
  }

  private read(): void {
    const { socket } = this;
    const chunk: Buffer | null = this.isInHead && !socket.destroyed ? socket.read() : null;
    if (chunk) {
      this.hasBegun = true;
      const passedOn = this.headOf(chunk);
      if (passedOn) socket.unshift(passedOn);
    }
    if (socket.bytesRead - this.bytesBefore > maxAnswerBytes) socket.destroy(new errors.ResponseExceededMaxSizeError());
  }

  /** The whole head, made strict, and the bytes after it; undefined while it is incomplete. */
  private headOf(chunk: Buffer): Buffer | undefined {
    let searched = Math.max(0, this.begun.length - 2);
    let rest = this.begun.length > 0 ? Buffer.concat([this.begun, chunk]) : chunk;
    for (;;) {
      const skipped = emptyLines(rest);
      if (skipped > 0) [rest, searched] = [rest.subarray(skipped), 0];
      const end = endOfHead(rest, searched);
      const head = rest.toString('latin1', 0, end ?? maxStatusLineBytes);
      const status = statusOf(head);
      if (status === undefined ? !startsAsStatusLine(head) : status >= 200 && end !== undefined) {
        this.isInHead = false;
        this.status = status;
        const strict = status === undefined ? undefined : strictHead(head, status);
        return strict === undefined ? rest : Buffer.concat([Buffer.from(strict, 'latin1'), rest.subarray(end)]);
      }
      if (end === undefined) {
        this.status = status !== undefined && status >= 200 ? status : undefined;
        this.begun = rest;
        return undefined;
      }
      [rest, searched] = [rest.subarray(end), 0];
    }
  }
}

const empty = Buffer.alloc(0);
/** Maximum number of bytes searched for the status line each time that more of an incomplete head arrives. */
const maxStatusLineBytes = 1_024;
const [cr, lf] = ['\r'.charCodeAt(0), '\n'.charCodeAt(0)];

/** RFC 9112 §2.2: empty lines before a message are ignored. */
function emptyLines(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === cr || bytes[count] === lf) count += 1;
  return count;
}

/** Position after the first empty line; lines may end with LF alone. */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  const [withCr, alone] = [bytes.indexOf('\n\r\n', from, 'latin1'), bytes.indexOf('\n\n', from, 'latin1')];
  if (alone >= 0 && (withCr < 0 || alone < withCr)) return alone + 2;
  return withCr < 0 ? undefined : withCr + 3;
}
