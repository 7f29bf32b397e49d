import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { UnknownKeyGeneration } from '../errors.js';
import type { MasterKeys } from '../keys/master-keys.js';

export type SealingKeys = { masterKeys: MasterKeys; now: () => Date };

/**
 * Values in browsers, encrypted (RFC 7516), readable by every instance. `purpose`: part of the key; a value is not valid
 * for another purpose.
 */
export function sealedValues<Schema extends z.ZodObject>(
  { masterKeys, now }: SealingKeys,
  { purpose, schema, lifetimeMs }: { purpose: string; schema: Schema; lifetimeMs: number },
) {
  return {
    seal(value: z.output<Schema>): Promise<string> {
      const generation = masterKeys.current;
      return new EncryptJWT({ value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: generation })
        .setExpirationTime(Math.floor((now().getTime() + lifetimeMs) / 1_000))
        .encrypt(masterKeys.derive(generation, purpose));
    },

    /** Undefined if invalid or expired. */
    async open(text: string): Promise<z.output<Schema> | undefined> {
      try {
        const { payload } = await jwtDecrypt(text, ({ kid }) => masterKeys.derive(kid ?? '', purpose), {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          currentDate: now(),
        });
        return schema.parse(payload.value);
      } catch (error) {
        const isRefusal =
          error instanceof errors.JOSEError || error instanceof UnknownKeyGeneration || error instanceof z.ZodError;
        if (isRefusal) return undefined;
        throw error;
      }
    },
  };
}
