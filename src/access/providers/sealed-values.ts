import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { UnknownKeyGeneration } from '../errors.js';
import type { MasterKeys } from '../keys/master-keys.js';

/** Values that users carry between requests, encrypted (RFC 7516): every instance with the master keys can read them. */
type SealedValues<Value> = {
  readonly seal: (value: Value) => Promise<string>;
  /** Undefined if the text is no such value, or a value that has expired. */
  readonly open: (text: string) => Promise<Value | undefined>;
};

export type SealingKeys = { readonly masterKeys: MasterKeys; readonly now: () => Date };

/** `purpose`: part of the key, so that a value is of no use for another purpose. */
export function sealedValues<Schema extends z.ZodObject>(
  { masterKeys, now }: SealingKeys,
  { purpose, schema, lifetimeMs }: { readonly purpose: string; readonly schema: Schema; readonly lifetimeMs: number },
): SealedValues<z.output<Schema>> {
  return {
    seal(value) {
      const generation = masterKeys.current;
      return new EncryptJWT({ value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: generation })
        .setExpirationTime(Math.floor((now().getTime() + lifetimeMs) / 1_000))
        .encrypt(masterKeys.derive(generation, purpose));
    },

    async open(text) {
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
