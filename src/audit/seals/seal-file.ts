import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import { describeReadError } from '../../access/keys/key-files.js';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import { parsePosition } from '../../kernel/input/parse-input.js';
import { SealNotGenuine, SealRefused } from '../errors.js';
import type { StreamDigest } from './stream-digest.js';

// First line: signed statement (JWS); then one JSON array for each stream, by name.

const revision = z.string().refine((text) => parsePosition(text) !== undefined);
const lineSchema = z.tuple([z.string(), revision, revision, z.int().positive(), z.string(), z.string()]);

/** UTF-16 code units; a write for each line would be slow. */
const chunkLength = 65_536;

export const lineOf = (stream: string, { first, last, events, digest, marks }: StreamDigest): string =>
  `${JSON.stringify([stream, first.toString(), last.toString(), events, digest, marks])}\n`;

/** Call before the long work: throws `SealRefused` where `path` exists or cannot be written. */
export async function draftSeal(path: string) {
  if (existsSync(path)) throw unwritable(path, 'EEXIST');
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw unwritable(path, error.code, error);
  });
  return {
    /** Atomic. Throws `SealRefused`. */
    async finish(statement: string, lines: Iterable<string>): Promise<void> {
      try {
        await file.writeFile(`${statement}\n`);
        await writeFile(file, inChunks(lines));
        await file.sync();
        await link(draft, path); // unlike a rename, never replaces an existing seal
      } catch (error) {
        throw unwritable(path, (error as NodeJS.ErrnoException).code, error);
      }
    },
    async close(): Promise<void> {
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

export type SealReader = Awaited<ReturnType<typeof openSeal>>;

/** Throws `SealRefused` where the file cannot be read. */
export async function openSeal(path: string, name = path) {
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
    /** Throws `SealNotGenuine`. */
    async statement(): Promise<string> {
      const { value, done } = await lines.next();
      if (done) throw new SealNotGenuine(`${name} is empty`);
      return value;
    },
    /** Call after `statement`. Throws `SealNotGenuine` for a malformed line. */
    async *streams(): AsyncGenerator<readonly [stream: string, digest: StreamDigest]> {
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        hash.update(`${line.value}\n`);
        yield parsed(line.value, name);
      }
    },
    /** Digest of the stream lines read so far. */
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

/** Distinguishes the statement from the key's other tokens. */
const type = 'flow-hooks-seal+jwt';

const statementSchema = z.object({
  sealedAt: z.iso.datetime(),
  categories: z.array(z.string()).min(1),
  streams: z.int().nonnegative(),
  events: z.int().nonnegative(),
  /** Digest of the lines after the statement. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type SealStatement = z.output<typeof statementSchema>;

export type SignedStatement = SealStatement & {
  /** RFC 7638. */
  thumbprint: string;
};

const claimsSchema = z.object({ ...statementSchema.shape, jwk: z.looseObject({ kty: z.string(), alg: z.string() }) });

/** Includes the public key: it can be verified after the key is retired. */
export function signStatement(statement: SealStatement, signingKeys: SigningKeys): Promise<string> {
  const { publicJwk: jwk } = signingKeys.signer();
  return signingKeys.sign({ ...statement, jwk }, type);
}

/** Verifies with the key inside; the caller decides whether to trust `thumbprint`. Throws `SealNotGenuine`. */
export async function verifyStatement(jws: string): Promise<SignedStatement> {
  try {
    const { jwk, ...statement } = claimsSchema.parse(decodeJwt(jws));
    if (decodeProtectedHeader(jws).typ !== type) throw new Error('it is a token of another type');
    const algorithms = ['ES256', 'EdDSA'];
    await compactVerify(jws, await importJWK(jwk as JWK, jwk.alg), { algorithms }); // jose validates the key
    return { ...statement, thumbprint: await calculateJwkThumbprint(jwk as JWK) };
  } catch (error) {
    throw new SealNotGenuine('the first line of the seal is not a statement signed with its key', { cause: error });
  }
}
