import { hash } from 'node:crypto';
import { z } from 'zod';
import { type AdminKeys, adminKeyLookup } from '../../access/admin-keys.js';
import {
  type OperatorProvider,
  type OperatorSignIn,
  operatorSignIn,
  roleOfSignIn,
} from '../../access/providers/operator-sign-in.js';
import { type SealingKeys, sealedValues } from '../../access/providers/sealed-values.js';
import type { Context } from '../../http/context.js';
import type { Caller } from '../../site/page-request.js';

/** A session of the console, as the browser carries it, sealed. Its role follows from the current settings. */
const session = z.object({
  /** Milliseconds since 1970. */
  untilMs: z.number(),
  /** The holder and the fingerprint of the admin key, or the sign-in with the identity provider. */
  by: z.union([z.object({ actor: z.string(), key: z.string() }), operatorSignIn]),
});

/** `signedIn`: undefined with an admin key. */
export type ConsoleSession = { caller: Caller; until: Date; signedIn: OperatorSignIn | undefined };

/** `expired`: it came from an identity provider, which may know the user still. */
type FoundSession = ConsoleSession | 'expired' | undefined;

/** Sessions of operators: a sealed cookie, which every instance with the master keys can read. */
export type ConsoleSessions = {
  find: (ctx: Context) => Promise<FoundSession>;
  /** Returns false, without a session, for an unknown key. */
  beginWithKey: (ctx: Context, key: string) => Promise<boolean>;
  beginWithProvider: (ctx: Context, signedIn: OperatorSignIn) => Promise<void>;
  end: (ctx: Context) => void;
};

const hour = 3_600_000;
/** A working day: an admin key has no other end than its removal. */
const keySessionMs = 8 * hour;
/** The provider is asked again for the user's role after this, without a question to the user. */
const providerSessionMs = hour;

export type ConsoleSessionSettings = SealingKeys & {
  adminKeys: AdminKeys;
  /** Undefined: there is none, and its sessions are of no use. */
  provider: OperatorProvider | undefined;
  /** Browsers use https: the cookie has the prefix `__Host-`, so no other host can set it. */
  secure: boolean;
};

export function consoleSessions({ adminKeys, provider, secure, ...keys }: ConsoleSessionSettings): ConsoleSessions {
  const { now } = keys;
  const adminOf = adminKeyLookup(adminKeys);
  /** The holders of the current keys, by fingerprint. */
  const holders = new Map([...adminKeys.values()].map(({ key }) => [fingerprintOf(key), adminOf(key)]));
  const sealed = sealedValues(keys, { purpose: 'console-session', schema: session, lifetimeMs: keySessionMs });
  const name = `${secure ? '__Host-' : ''}console`;
  // Lax: links from chats and tickets open pages. Actions also require this origin.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

  async function begin(ctx: Context, by: z.output<typeof session>['by'], lifetimeMs: number) {
    const text = await sealed.seal({ by, untilMs: now().getTime() + lifetimeMs });
    ctx.append('Set-Cookie', `${name}=${text}; Max-Age=${keySessionMs / 1_000}${attributes}`);
  }

  return {
    async find(ctx) {
      const text = ctx.cookies.get(name);
      const found = text === undefined ? undefined : await sealed.open(text);
      if (!found) return undefined;
      const { by, untilMs } = found;
      const { actor } = by;
      const holder = 'key' in by ? holders.get(by.key) : { actor, role: roleOfSignIn(by, provider) };
      if (!holder?.role || holder.actor !== actor) return undefined; // the key or the provider has been removed or changed
      const signedIn = 'key' in by ? undefined : by;
      if (untilMs <= now().getTime()) return signedIn && 'expired';
      return { caller: { actor, role: holder.role, orgId: null }, until: new Date(untilMs), signedIn };
    },

    async beginWithKey(ctx, key) {
      const holder = adminOf(key);
      if (!holder) return false;
      await begin(ctx, { actor: holder.actor, key: fingerprintOf(key) }, keySessionMs);
      return true;
    },

    beginWithProvider: (ctx, signedIn) => begin(ctx, signedIn, providerSessionMs),

    end: (ctx) => ctx.append('Set-Cookie', `${name}=; Max-Age=0${attributes}`),
  };
}

const fingerprintOf = (key: string): string => hash('sha256', key, 'base64url');
