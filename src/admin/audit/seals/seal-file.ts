import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import { describeReadError } from '../../../access/keys/key-files.js';
import type { SigningKeys } from '../../../access/keys/signing-keys.js';
import { parsePosition } from '../../../kernel/input/parse-position.js';
import { SealNotGenuine, SealRefused } from '../../errors.js';
import type { StreamDigest } from './stream-digest.js';

// A seal is a text file: the signed statement on the first line, then one JSON array for each stream, ordered by name.

const revision = z.string().refine((text) => parsePosition(text) !== undefined);
const lineSchema = z.tuple([z.string(), revision, revision, z.int().positive(), z.string(), z.string()]);

/** Minimum length of a write, in UTF-16 code units: one write for each line would be slow. */
const chunkLength = 65_536;

/** The line of one stream, with its line feed. */
export const lineOf = (stream: string, { first, last, events, digest, marks }: StreamDigest): string =>
  `${JSON.stringify([stream, first.toString(), last.toString(), events, digest, marks])}\n`;

/** An unfinished seal, in a temporary file in the same directory. */
type SealDraft = {
  /** Writes the seal and gives it its name, atomically. Throws `SealRefused`. */
  readonly finish: (statement: string, lines: Iterable<string>) => Promise<void>;
  /** Removes the temporary file. */
  readonly close: () => Promise<void>;
};

/** Creates the temporary file, so that the long work begins only if it can be saved. Throws `SealRefused` where `path` exists or cannot be written. */
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
        await link(draft, path); // unlike a rename, it never replaces an existing seal
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
  const why = code === 'EEXIST' ? 'the file exists' : code === 'ENOENT' ? 'its directory does not exist' : code;
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
  /** Each stream; call it after `statement`. Throws `SealNotGenuine` where a line cannot be parsed. */
  readonly streams: () => AsyncIterable<readonly [stream: string, digest: StreamDigest]>;
  /** SHA-256, hex, of the stream lines read so far. */
  readonly sha256: () => string;
  readonly close: () => Promise<void>;
};

/** Opens a seal for reading line by line. `name`: its name in errors. Throws `SealRefused` where the file cannot be read. */
export async function openSeal(path: string, name = path): Promise<SealReader> {
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
      if (done) throw new SealNotGenuine(`${name} is empty`);
      return value;
    },
    async *streams() {
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        hash.update(`${line.value}\n`);
        yield parsed(line.value, name);
      }
    },
    sha256: () => hash.digest('hex'),
    close: () => file.close(),
  };
}

function parsed(line: string, name: string): readonly [string, StreamDigest] {
  try {
    const [stream, first, last, events, digest, marks] = lineSchema.parse(JSON.parse(line));
    return [stream, { first: BigInt(first), last: BigInt(last), events, digest, marks }];
  } catch (error) {
    throw new SealNotGenuine(`${name} is damaged: a line does not describe a stream`, { cause: error });
  }
}

/** `typ` of the statement: distinguishes it from every other JWT, such as an access token. */
const type = 'flow-hooks-seal+jwt';

const statementSchema = z.object({
  /** ISO 8601. */
  sealedAt: z.iso.datetime(),
  categories: z.array(z.string()).min(1),
  streams: z.int().nonnegative(),
  events: z.int().nonnegative(),
  /** SHA-256, hex, of the lines after the statement in the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The signed content of a seal. */
export type SealStatement = z.output<typeof statementSchema>;

export type SignedStatement = SealStatement & {
  /** RFC 7638, of the signing key. */
  readonly thumbprint: string;
};

const claimsSchema = z.object({ ...statementSchema.shape, jwk: z.looseObject({ kty: z.string(), alg: z.string() }) });

/** A compact JWS that contains the public key beside the statement, so that it can be verified after the key is retired. */
export function signStatement(statement: SealStatement, signingKeys: SigningKeys): Promise<string> {
  const { publicJwk: jwk } = signingKeys.signer();
  return signingKeys.sign({ ...statement, jwk }, type);
}

/**
 * Verifies the statement with the key that it contains. The caller decides by `thumbprint` whether to trust that key.
 * Throws `SealNotGenuine`.
 */
export async function verifyStatement(jws: string): Promise<SignedStatement> {
  try {
    const { jwk, ...statement } = claimsSchema.parse(decodeJwt(jws));
    if (decodeProtectedHeader(jws).typ !== type) throw new Error('it is a token of another type');
    const algorithms = ['ES256', 'EdDSA'];
    await compactVerify(jws, await importJWK(jwk as JWK, jwk.alg), { algorithms }); // jose checks the key
    return { ...statement, thumbprint: await calculateJwkThumbprint(jwk as JWK) };
  } catch (error) {
    throw new SealNotGenuine('the first line of the seal is not a statement signed with its key', { cause: error });
  }
}
