import { randomBytes } from 'node:crypto';
import { v7 as timeSortable } from 'uuid';
import { bytesOfUuid, uuidOfBytes } from '../../kernel/uuid.js';

/**
 * The text of an API key: `fhk_<ID>_<secret>`, in base64url the 16 bytes of a UUID and 32 random bytes. The prefix lets
 * scanners for leaked secrets find it.
 */
const format = /^fhk_([\w-]{22})_[\w-]{43}$/;
const prefix = 'fhk_';
const secretBytes = 32;

/** The ID is a UUIDv7, so that keys are listed in the order of their creation. */
export function generateApiKey(): { apiKeyId: string; text: string } {
  const apiKeyId = timeSortable();
  const id = bytesOfUuid(apiKeyId).toString('base64url');
  return { apiKeyId, text: `${prefix}${id}_${randomBytes(secretBytes).toString('base64url')}` };
}

/** Access tokens are JWTs, which begin with `ey`. */
export const looksLikeApiKey = (text: string): boolean => text.startsWith(prefix);

export function apiKeyIdIn(text: string): string | undefined {
  const [, id] = format.exec(text) ?? [];
  return id === undefined ? undefined : uuidOfBytes(Buffer.from(id, 'base64url'));
}
