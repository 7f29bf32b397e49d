import { timingSafeEqual } from 'node:crypto';
import { bytesOfUuid, uuidOfBytes } from '../../kernel/uuid.js';
import type { MasterKeys } from '../keys/master-keys.js';
import { hashOfSecret } from '../secret-hash.js';
import { importedSessionId } from './session.js';

/**
 * A refresh token: `<key generation>.<base64url of session id (16 bytes), secret (32), MAC (15)>`. The MAC proves that the
 * service issued the token. Session ids are not secret (`sid` of every access token), so without a valid MAC a presented token
 * must not revoke the session.
 */
export type RefreshToken = {
  text: string;
  sessionId: string;
  secret: Buffer;
};

const idBytes = 16;
const secretBytes = 32;
/** 120 bits. The 63 bytes of a token are exactly 84 base64url characters, so that each token has only one encoding. */
const macBytes = 15;
const format = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{84})$/;

export type CodeRequest = {
  code: string;
  redirectUri?: string;
  codeVerifier?: string;
};

/** The token that a code is exchanged for: the same one for each request that repeats the first one exactly. */
export function firstRefreshToken(
  keys: MasterKeys,
  generation: string,
  sessionId: string,
  { code, redirectUri, codeVerifier }: CodeRequest,
): RefreshToken {
  const request = JSON.stringify([code, redirectUri ?? null, codeVerifier ?? null]);
  return refreshToken(keys, generation, sessionId, keys.derive(generation, 'refresh-first', sessionId, request));
}

/** The successor of a token; with the same master key always the same one. */
export function successorOf(keys: MasterKeys, generation: string, { sessionId, secret }: RefreshToken): RefreshToken {
  const next = keys.derive(generation, 'refresh-successor', sessionId, secret.toString('base64url'));
  return refreshToken(keys, generation, sessionId, next);
}

export function readRefreshToken(keys: MasterKeys, text: string): RefreshToken | undefined {
  const [, generation, encoded] = format.exec(text) ?? [];
  if (generation === undefined || encoded === undefined || !keys.generations.includes(generation)) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  const sessionId = uuidOfBytes(bytes.subarray(0, idBytes));
  const secret = bytes.subarray(idBytes, idBytes + secretBytes);
  const isAuthentic = timingSafeEqual(
    bytes.subarray(idBytes + secretBytes),
    macOf(keys, generation, sessionId, secret),
  );
  return isAuthentic ? { text, sessionId, secret } : undefined;
}

/**
 * A refresh token of another system, whose session was imported by the token's hash. Its successors are derived from its text,
 * which no event has: from the hash and the master key they could be derived by readers of both.
 */
export const foreignRefreshToken = (text: string): RefreshToken => ({
  text,
  sessionId: importedSessionId(hashOf({ text })),
  secret: Buffer.from(text),
});

/** Identifies a token in events: SHA-256 of its text, base64url. */
export const hashOf = ({ text }: Pick<RefreshToken, 'text'>): string => hashOfSecret(text);

function refreshToken(keys: MasterKeys, generation: string, sessionId: string, secret: Buffer): RefreshToken {
  const bytes = Buffer.concat([bytesOfUuid(sessionId), secret, macOf(keys, generation, sessionId, secret)]);
  return { text: `${generation}.${bytes.toString('base64url')}`, sessionId, secret };
}

const macOf = (keys: MasterKeys, generation: string, sessionId: string, secret: Buffer): Buffer =>
  keys.derive(generation, 'refresh-mac', sessionId, secret.toString('base64url')).subarray(0, macBytes);
