import { type Context, requestedHost } from '../http/context.js';

/** The issuer of the metadata, and of the answers to platforms (RFC 9207 §2.4: they are equal). */
export type IssuerOf = (ctx: Context) => string;

/** `publicUrl` undefined: the requested address, in development mode. */
export const serviceIssuer =
  (publicUrl: string | undefined): IssuerOf =>
  (ctx) =>
    publicUrl ?? `http://${requestedHost(ctx)}`;
