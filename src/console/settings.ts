import { z } from 'zod';
import { adminRoles } from '../access/admin-keys.js';
import { oneSecret, openIdClient } from '../access/providers/provider-settings.js';
import { type CustomerAction, customerActions } from '../admin/api/routing/admin-route.js';
import { mode, setting } from '../kernel/settings/setting.js';
import { found, json, list } from '../kernel/settings/texts.js';
import { brandSettings } from '../site/brand/settings.js';

const consoleProvider = openIdClient
  .extend({
    /** The claim of the ID token with a user's groups, or its path: a text, or a list of texts. */
    claim: z.string().min(1),
    /** The role of each of these groups; users of no such group are refused. */
    roles: z
      .record(z.string().min(1), z.enum(adminRoles))
      .refine((roles) => Object.keys(roles).length > 0, 'must name at least one value of the claim in roles'),
    /** Earlier sign-ins have expired. Undefined: none has. */
    signedInSince: z.iso
      .datetime({ offset: true })
      .transform((text) => new Date(text))
      .optional(),
  })
  .refine(...oneSecret);

export type ConsoleProviderSettings = z.output<typeof consoleProvider>;

const consoleOpenId = json(
  'a JSON object {"issuer", "clientId", "clientSecret" or "clientSecretFile", "claim", "roles": {"<value of the claim>": ' +
    '"viewer", "operator" or "owner"}, "signedInSince"?, "scopes"?, "clientAuthentication"?, "prompt"?}',
  consoleProvider,
);

export const consoleSettings = brandSettings('CONSOLE').extend({
  /** The identity provider with which operators sign in; undefined: with admin keys only. */
  openid: setting('CONSOLE_OPENID', consoleOpenId.optional()),
});

export type ConsoleSettings = z.output<typeof consoleSettings>;

/** An origin, or all subdomains of a host, for `frame-ancestors`. */
function isOrigin(text: string): boolean {
  const given = text.replace('//*.', '//');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  // A URL may have ; and , in its host, which would begin another directive or source of CSP.
  const host = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;
  return url?.origin === given && host.test(url.host) && !given.includes('*') && /^https?:$/.test(url.protocol);
}

const origin = z.string().refine(isOrigin, {
  error: ({ input }) =>
    `must be origins such as https://app.example.com or https://*.example.com${found('has', input)}`,
});

const action = z.enum(customerActions, {
  error: ({ input }) => `must be none, or some of ${customerActions.join(',')}${found('has', input)}`,
});
const actions = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((part) => part.trim())))
  .pipe(z.array(action))
  .transform((named): readonly CustomerAction[] => customerActions.filter((each) => named.includes(each)));

export const portalSettings = brandSettings('PORTAL').extend({
  /** Origins whose pages may embed the portal. */
  origins: setting('PORTAL_ORIGINS', list(origin).default([]), {
    problem(origins, given) {
      const plain = given(mode) === 'production' && origins.find((each) => each.startsWith('http:'));
      return plain && `must be https origins, but has '${plain}'`;
    },
  }),
  /** Actions that customers with the role operator may take. */
  actions: setting('PORTAL_ALLOWS', actions.default(customerActions.filter((each) => each !== 'register'))),
});

export type PortalSettings = z.output<typeof portalSettings>;
