import { createReadStream } from 'node:fs';

/** Maximum size of a line: more than any listener or session has, and little enough to have a hundred in memory. */
const maxLineBytes = 1_048_576;

/** `text` without its line end; or the reason why it cannot be read. `number` from 1 on. */
export type Line = { number: number } & ({ text: string } | { problem: string });

const newline = 10;

/**
 * The lines of a file, in order. A line that is not UTF-8 or has more than `maxLineBytes` has a problem; the others are read. A byte order
 * mark at the beginning is left out. Rejects with the error of the file system.
 */
export async function* readLines(file: string): AsyncGenerator<Line, void> {
  let number = 0;
  let pieces: Buffer[] = [];
  let bytes = 0;

  function add(piece: Buffer): void {
    bytes += piece.length;
    if (bytes <= maxLineBytes) pieces.push(piece);
    else pieces = [];
  }
  function end(): Line {
    number += 1;
    const line = { number, ...(bytes > maxLineBytes ? tooLong : decoded(Buffer.concat(pieces), number === 1)) };
    pieces = [];
    bytes = 0;
    return line;
  }

  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield end();
}

const tooLong = { problem: `the line has more than ${maxLineBytes} bytes` };

function decoded(bytes: Buffer, isFirst: boolean): { text: string } | { problem: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst }).decode(bytes).replace(/\r$/, '') };
  } catch {
    return { problem: 'the line is not UTF-8: save the file in this encoding' };
  }
}
