import type { Context } from '../http/context.js';
import { InvalidTarget } from './errors.js';
import type { IssuerOf } from './service-issuer.js';

/** The resource for which agents' hosts request tokens (RFC 8707): its URI, and the audience of its tokens, is the issuer followed by this path. */
export const mcpPath = '/mcp';

/** RFC 9728: the path of the resource follows. */
export const resourceMetadata = '/.well-known/oauth-protected-resource';

/** Undefined: the whole service, the audience of a token for which no resource was requested. */
export type ProtectedResource = typeof mcpPath | undefined;

/** Undefined: none was requested. */
export type RequestedResource = { of: ProtectedResource } | undefined;

/** Reads a `resource` parameter. Throws `InvalidTarget`. */
export type ResourceOf = (ctx: Context, sent: unknown) => RequestedResource;

/** `isOn` false: the parameter is ignored, as unknown ones are. */
export const protectedResources =
  (isOn: boolean, issuerOf: IssuerOf): ResourceOf =>
  (ctx, sent) => {
    if (!isOn || sent === undefined || sent === null || sent === '') return undefined;
    const base = issuerOf(ctx);
    const uri = typeof sent === 'string' && URL.canParse(sent) ? withoutSlash(sent) : undefined;
    if (uri === withoutSlash(`${base}${mcpPath}`)) return { of: mcpPath };
    if (uri === withoutSlash(base)) return { of: undefined };
    throw new InvalidTarget();
  };

const withoutSlash = (uri: string): string => new URL(uri).href.replace(/\/$/, '');

/** RFC 8707 §2.2: a token request narrows the resource of the sign-in, and never widens it. Throws `InvalidTarget`. */
export function narrowed(granted: ProtectedResource, requested: RequestedResource): ProtectedResource {
  if (requested && requested.of === undefined && granted !== undefined) throw new InvalidTarget();
  return requested?.of ?? granted;
}
