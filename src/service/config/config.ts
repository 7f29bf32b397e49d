import { z } from 'zod';
import { keySettings } from '../../access/keys/key-settings.js';
import { signInSettings, tokenSettings } from '../../access/settings.js';
import { consoleSettings, portalSettings } from '../../console/settings.js';
import { deliverySettings } from '../../deliveries/settings.js';
import { flowSettings } from '../../flows/settings.js';
import { httpSettings, limitSettings } from '../../http/settings.js';
import { egress } from '../../kernel/egress/settings.js';
import { mode, setting } from '../../kernel/settings/setting.js';
import { choice, found, list, valid } from '../../kernel/settings/texts.js';
import { listenerSettings } from '../../listeners/settings.js';
import { mcpSettings } from '../../mcp/settings.js';
import { cluster, dataDirectory, mongoDbUrl } from '../../stores/settings.js';
import { readSettings, type UnsafeSetting } from './read-settings.js';
import { type Environment, InvalidConfiguration } from './settings.js';
import { type UnknownSetting, unknownSettings } from './unknown-settings.js';

/** `api`: the routes; `projector`: the views; `dispatcher`: fan-out and deliveries. */
const allRoles = ['api', 'projector', 'dispatcher'] as const;

export type Role = (typeof allRoles)[number];

const roles = valid(`some of ${allRoles.join(', ')}`, list(z.enum(allRoles)))
  .default([...allRoles])
  .transform((chosen) => new Set(chosen));

const named = list(z.string()).transform((names) => names.filter((name) => name !== ''));

/** Settings that concern others. */
const protections = z.object({
  /** Settings whose values may void a protection. */
  permitted: setting('UNSAFE', named.default([])),
  certificates: setting('NODE_TLS_REJECT_UNAUTHORIZED', z.string().optional(), {
    voids: (text) => text === '0' && 'certificates of listeners, issuers and stores are not checked',
  }),
});

/** Settings that the thread of deliveries gets too, as plain data. */
const ofBothThreads = z.object({
  mode,
  dataDirectory,
  cluster,
  logLevel: setting(
    'LOG_LEVEL',
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').prefault('info'),
    { inDevelopment: 'warn' },
  ),
  tokens: tokenSettings,
  mcp: mcpSettings,
  deliveries: deliverySettings,
  flows: flowSettings,
});

export type SharedSettings = z.output<typeof ofBothThreads>;

export const settings = ofBothThreads.extend({
  /** Parts of the service beside `/healthz` and `/readyz`. */
  roles: setting('ROLES', roles, {
    // Only one service at a time opens the embedded store, so no other instance could have the missing roles.
    problem: (roles, given) =>
      roles.size < allRoles.length &&
      given(mongoDbUrl) === undefined &&
      'can be chosen only with EVENTSTOREDB_URL and MONGODB_URL',
  }),
  http: httpSettings,
  egress,
  signIn: signInSettings,
  keys: keySettings,
  console: consoleSettings,
  limits: limitSettings,
  listeners: listenerSettings,
  portal: portalSettings,
  protections,
});

export type DoubtfulSettings = {
  /** Values that void a protection in production, which `UNSAFE` permits. */
  unsafe: readonly UnsafeSetting[];
  unknown: readonly UnknownSetting[];
};

export type Config = z.output<typeof settings> & DoubtfulSettings;

/** Throws `InvalidConfiguration`, which names each invalid setting and says what would be valid. */
export function readConfig(environment: Environment): Config {
  const { values, reject, ...read } = readSettings(settings, environment);
  const { permitted: named } = values.protections;
  const unknown = named.find((name) => !read.permissible.has(name));
  if (unknown !== undefined)
    reject('UNSAFE', `must be some of ${[...new Set(read.permissible.values())].join(',')}${found('has', unknown)}`);
  const permitted = named.map((name) => read.permissible.get(name));
  const unsafe = [...read.unsafe.values()];
  for (const { setting, voids } of unsafe)
    if (!permitted.includes(setting))
      reject(setting, `voids a protection: ${voids}. If that is meant, permit it with UNSAFE=${setting}`);
  if (read.problems.size > 0) throw new InvalidConfiguration(read.problems);
  return { ...values, unsafe, unknown: unknownSettings(environment, read.names) };
}
