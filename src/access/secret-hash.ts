import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256, base64url. A fast hash is enough for secrets of 256 random bits, which cannot be guessed. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compares hashes in constant time, so that neither secrets nor their lengths leak through timing. */
export const hasHash = (secret: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashOfSecret(secret)), Buffer.from(expected));
