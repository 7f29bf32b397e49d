import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Client, ClientSecret } from './client.js';

/** A new secret of 256 random bits. The prefix lets scanners of source code find leaked ones. */
export const generateClientSecret = (): string => `fhc_${randomBytes(32).toString('base64url')}`;

/** SHA-256, base64url. A fast hash suffices: the secrets are generated and cannot be guessed. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Whether a secret is valid at a time. */
export const isValidAt = ({ until }: ClientSecret, now: Date): boolean =>
  until === null || Date.parse(until) > now.getTime();

/** Whether a presented secret is one of the client's valid ones. Compares hashes in constant time, all of them. */
export function hasSecret({ secrets }: Client, presented: string, now: Date): boolean {
  const digest = Buffer.from(hashOfSecret(presented));
  const matching = secrets.filter((each) => timingSafeEqual(Buffer.from(each.hash), digest));
  return matching.some((each) => isValidAt(each, now));
}
