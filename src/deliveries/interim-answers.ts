import type { Socket } from 'node:net';

/** What an interim answer begins with; `#` is a digit. */
const beginning = 'HTTP/1.# 1##';
const digit = '#'.charCodeAt(0);
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];
const headEnd = '\r\n\r\n';
/** As much as undici takes for headers by default. */
const maxHeadBytes = 16 * 1_024;

/**
 * Leaves interim answers (1xx) out of what is read from a connection. A client has to read past any number of them, whether
 * it has asked for one or not (RFC 9110 §15.2). undici does not: it closes the connection at a `100 Continue`, though the hook
 * has taken the request and is about to answer it.
 */
export class InterimAnswers {
  private isExpected = false;
  /** What has come of an interim answer that has not come in whole. */
  private begun: Buffer | undefined;

  /** From now on, whoever reads from the socket does not see them. */
  constructor(socket: Socket) {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const chunk = read(size) as Buffer | null; // no encoding is set
      return chunk && this.isExpected ? this.leaveOut(chunk) : chunk;
    };
  }

  /** A request is about to be written: what comes next is an answer. */
  expect(): void {
    this.isExpected = true;
  }

  /** Null where nothing else has come yet. */
  private leaveOut(chunk: Buffer): Buffer | null {
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
        return null;
      }
      rest = rest.subarray(end);
    }
    return null;
  }
}

/** Where an interim answer at the beginning ends, if there is one. */
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
