import { z } from 'zod';
import { type Given, setting } from '../settings/setting.js';
import { cidr, found, list, trueOrFalse } from '../settings/texts.js';

const isDecodable = ({ username, password }: URL): boolean => {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
};

const form = 'must be http://host:port or https://host:port, with user:password@ before the host if it needs them';

/** Not printed: it may have a password. */
const proxyUrl = z
  .string()
  .transform((text) => (URL.canParse(text) ? new URL(text) : undefined))
  .pipe(z.instanceof(URL, { error: form }))
  .refine((url) => /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash, form)
  .refine(isDecodable, 'must have its user name and password percent-encoded')
  .transform(({ href }) => href);

const hostName = z.string().regex(/^(\*\.)?[\w-]+(\.[\w-]+)*$/, {
  error: ({ input }) => `must be host names, *.example.com or CIDR ranges${found('holds', input)}`,
});

const url = setting('EGRESS_PROXY', proxyUrl.optional());

const problem = (value: unknown, given: Given) =>
  value !== undefined && given(url) === undefined && 'needs EGRESS_PROXY';

/** The proxy of requests to listeners and providers; undefined: none. */
export const egress = z
  .object({
    /** Address with its credentials. */
    url,
    /** Reached directly. */
    except: setting('EGRESS_PROXY_EXCEPT', list(z.union([cidr, hostName])).optional(), { problem }),
    /** The proxy gets names instead of addresses, which the service then has not seen. */
    resolvesNames: setting('EGRESS_PROXY_RESOLVES_NAMES', trueOrFalse.optional(), { problem }),
  })
  .transform(({ url, except = [], resolvesNames = false }) =>
    url === undefined ? undefined : { url, except, resolvesNames },
  );

export type EgressProxy = NonNullable<z.output<typeof egress>>;
