import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { describeReadError } from '../../access/keys/text-or-file.js';
import { parsePosition } from '../../kernel/parse-position.js';
import { SealNotGenuine, SealRefused } from './errors.js';
import type { StreamDigest } from './stream-digest.js';

// A seal is a file of lines: the signed statement, and then each stream by its name, as a JSON array.

const revision = z.string().refine((text) => parsePosition(text) !== undefined);
const lineSchema = z.tuple([z.string(), revision, revision, z.int().positive(), z.string(), z.string()]);

/** A write for each line would be slow. */
const chunkLength = 65_536;

/** One stream's line, with its end. */
export const lineOf = (stream: string, { first, last, events, digest, marks }: StreamDigest): string =>
  `${JSON.stringify([stream, first.toString(), last.toString(), events, digest, marks])}\n`;

/** A seal that is being made, beside where it will be. */
export type SealDraft = {
  /** The seal is there afterwards, as a whole. Throws `SealRefused`. */
  readonly finish: (statement: string, lines: Iterable<string>) => Promise<void>;
  /** Leaves nothing but what was finished. */
  readonly close: () => Promise<void>;
};

/** Begins a seal, before the work that it takes. Throws `SealRefused` where there is one already, or none can be. */
export async function draftSeal(path: string): Promise<SealDraft> {
  if (existsSync(path)) throw unwritable(path, 'EEXIST');
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw unwritable(path, error.code, error);
  });
  return {
    async finish(statement, lines) {
      try {
        await file.writeFile(`${statement}\n`);
        await writeFile(file, inChunks(lines));
        await file.sync();
        await link(draft, path); // unlike a rename, it never replaces a seal that is there
      } catch (error) {
        throw unwritable(path, (error as NodeJS.ErrnoException).code, error);
      }
    },
    async close() {
      await file.close();
      await rm(draft, { force: true });
    },
  };
}

function unwritable(path: string, code = 'unwritable', cause?: unknown): SealRefused {
  const why = code === 'EEXIST' ? 'it is there already' : code === 'ENOENT' ? 'there is no such directory' : code;
  return new SealRefused(`${path} cannot be written: ${why}`, { cause });
}

function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

export type SealReader = {
  /** The signed statement. Throws `SealNotGenuine`. */
  readonly statement: () => Promise<string>;
  /** Each stream, once the statement has been read. Throws `SealNotGenuine` where a line is none. */
  readonly streams: () => AsyncIterable<readonly [stream: string, digest: StreamDigest]>;
  /** SHA-256, hex, of the lines of the streams that have been read. */
  readonly sha256: () => string;
  readonly close: () => Promise<void>;
};

/** Opens a seal, to be read line by line. Throws `SealRefused` where it cannot be. */
export async function openSeal(path: string): Promise<SealReader> {
  const file = await open(path).catch((error: unknown) => {
    throw new SealRefused(describeReadError(error, path), { cause: error });
  });
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw new SealRefused(`${path} is not a file`);
  }
  const lines = file.readLines()[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  return {
    async statement() {
      const { value, done } = await lines.next();
      if (done) throw new SealNotGenuine(`${path} is empty`);
      return value;
    },
    async *streams() {
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        hash.update(`${line.value}\n`);
        yield parsed(line.value, path);
      }
    },
    sha256: () => hash.digest('hex'),
    close: () => file.close(),
  };
}

function parsed(line: string, path: string): readonly [string, StreamDigest] {
  try {
    const [stream, first, last, events, digest, marks] = lineSchema.parse(JSON.parse(line));
    return [stream, { first: BigInt(first), last: BigInt(last), events, digest, marks }];
  } catch (error) {
    throw new SealNotGenuine(`${path} has been damaged: a line is not that of a stream`, { cause: error });
  }
}
