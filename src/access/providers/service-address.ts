import type { Context } from '../../http/context.js';
import { SignInRefused } from '../sign-in/errors.js';

/** How browsers reach this service. */
export type ServiceAddress = {
  /** Such as `https://hooks.example.com`, as browsers send it in `Origin`. */
  readonly origin: string;
  /** The redirect URI that is registered at the provider. */
  readonly callback: string;
};

/**
 * The address on the host that was requested, to which the browser's cookies belong. The scheme and the path are those of
 * `publicUrl`; undefined: http (development). Throws `SignInRefused` if the host is none.
 */
export const serviceAddressOf =
  (hostOf: (ctx: Context) => string, publicUrl: string | undefined) =>
  (ctx: Context): ServiceAddress => {
    const host = hostOf(ctx).toLowerCase();
    const { protocol, pathname } = new URL(publicUrl ?? 'http://localhost');
    const text = `${protocol}//${host}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // Anything beside a host and a port would be another URL than the one that the browser requested.
    const isHost = url && [url.host, `${url.host}:${protocol === 'https:' ? 443 : 80}`].includes(host);
    if (!url || !isHost) throw new SignInRefused('the Host header is not a host');
    return { origin: url.origin, callback: `${url.origin}${pathname.replace(/\/$/, '')}/oauth2/callback` };
  };
