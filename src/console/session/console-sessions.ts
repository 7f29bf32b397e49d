import { hash } from 'node:crypto';
import { z } from 'zod';
import { type AdminKeys, adminKeyLookup, adminRoles } from '../../access/admin-keys.js';
import { type SealingKeys, sealedValues } from '../../access/providers/sealed-values.js';
import type { Context } from '../../http/context.js';
import type { Caller } from '../page-request.js';
import type { Operator } from './console-provider.js';

/** A session of the console, as the browser carries it, sealed. */
const session = z.object({
  actor: z.string(),
  /** With an admin key, the role of the session is that of the current key. */
  role: z.enum(adminRoles),
  /** Milliseconds since 1970. */
  untilMs: z.number(),
  /** The fingerprint of the admin key, or the issuer that is the identity provider. */
  by: z.union([z.object({ key: z.string() }), z.object({ issuer: z.string() })]),
});

type ConsoleSession = { caller: Caller; until: Date };

/** `expired`: it came from an identity provider, which may know the user still. */
type FoundSession = ConsoleSession | 'expired' | undefined;

/** Sessions of operators: a sealed cookie, which every instance with the master keys can read. */
export type ConsoleSessions = {
  find: (ctx: Context) => Promise<FoundSession>;
  /** Returns false, without a session, for an unknown key. */
  beginWithKey: (ctx: Context, key: string) => Promise<boolean>;
  beginWithProvider: (ctx: Context, operator: Operator) => Promise<void>;
  end: (ctx: Context) => void;
};

const hour = 3_600_000;
/** A working day: an admin key has no other end than its removal. */
const keySessionMs = 8 * hour;
/** The provider is asked again for the user's role after this, without a question to the user. */
const providerSessionMs = hour;

export type ConsoleSessionSettings = SealingKeys & {
  adminKeys: AdminKeys;
  /** The identity provider; undefined: there is none, and its sessions are of no use. */
  issuer: string | undefined;
  /** Browsers use https: the cookie has the prefix `__Host-`, so no other host can set it. */
  secure: boolean;
};

export function consoleSessions({ adminKeys, issuer, secure, ...keys }: ConsoleSessionSettings): ConsoleSessions {
  const { now } = keys;
  const adminOf = adminKeyLookup(adminKeys);
  /** The holders of the current keys, by fingerprint. */
  const holders = new Map([...adminKeys.values()].map(({ key }) => [fingerprintOf(key), adminOf(key)]));
  const sealed = sealedValues(keys, { purpose: 'console-session', schema: session, lifetimeMs: keySessionMs });
  const name = `${secure ? '__Host-' : ''}console`;
  // Lax: links from chats and tickets open pages. Actions also require this origin.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

  async function begin(ctx: Context, value: Omit<z.output<typeof session>, 'untilMs'>, lifetimeMs: number) {
    const text = await sealed.seal({ ...value, untilMs: now().getTime() + lifetimeMs });
    ctx.append('Set-Cookie', `${name}=${text}; Max-Age=${keySessionMs / 1_000}${attributes}`);
  }

  return {
    async find(ctx) {
      const text = ctx.cookies.get(name);
      const found = text === undefined ? undefined : await sealed.open(text);
      if (!found) return undefined;
      const { actor, by, untilMs } = found;
      const holder = 'key' in by ? holders.get(by.key) : by.issuer === issuer && found;
      if (!holder || holder.actor !== actor) return undefined; // the key or the provider has been removed or changed
      const { role } = holder;
      if (untilMs <= now().getTime()) return 'issuer' in by ? 'expired' : undefined;
      return { caller: { actor, role, orgId: null }, until: new Date(untilMs) };
    },

    async beginWithKey(ctx, key) {
      const holder = adminOf(key);
      if (!holder) return false;
      await begin(ctx, { ...holder, by: { key: fingerprintOf(key) } }, keySessionMs);
      return true;
    },

    async beginWithProvider(ctx, { actor, role }) {
      if (issuer === undefined) throw new Error('there is no identity provider');
      await begin(ctx, { actor, role, by: { issuer } }, providerSessionMs);
    },

    end: (ctx) => ctx.append('Set-Cookie', `${name}=; Max-Age=0${attributes}`),
  };
}

const fingerprintOf = (key: string): string => hash('sha256', key, 'base64url');
