import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readConfig } from '../../../src/service/config/config.js';

const unknownIn = (environment: Record<string, string>) => readConfig(environment).unknown;
const documented = [
  ...readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8').matchAll(/^\| (`[^|]*`) \|/gm),
].flatMap(([, names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));

describe('variables that look like settings', () => {
  const misspelt: readonly (readonly [name: string, suggestion: string | undefined])[] = [
    ['RATE_LIMIT_EVENT', 'RATE_LIMIT_EVENTS'],
    ['RATE_LIMIT_EVENTS_PER_DAY', 'RATE_LIMIT_EVENTS'],
    ['LOGIN_PROVIDER', 'LOGIN_PROVIDERS'],
    ['PORTAL_ORIGIN', 'PORTAL_ORIGINS'],
    ['ALLOWED_TARGET', 'ALLOWED_TARGETS'],
    ['ALOWED_TARGETS', 'ALLOWED_TARGETS'],
    ['MASTER_KEY', 'MASTER_KEYS'],
    ['MONGODB_URI', 'MONGODB_URL'],
    ['PORTAL_TELEMETRY_ENDPOINT', undefined],
  ];
  for (const [name, suggestion] of misspelt)
    it(`are reported: ${name}`, () => expect(unknownIn({ [name]: 'x' })).to.deep.equal([{ name, suggestion }]));

  it('are none of npm, of a shell, of Kubernetes, of the command line and of other programs', () => {
    const others = [
      ...['NODE', 'NODE_ENV', 'NODE_OPTIONS', 'npm_config_user_agent', 'INIT_CWD', 'COLOR', 'EDITOR', 'HOME', 'PATH'],
      ...['SESSION_MANAGER', 'LOGNAME', 'XDG_DATA_DIRS', 'LOG_LEVEL_OF_ANOTHER', 'HOSTNAME', 'MALLOC_ARENA_MAX'],
      ...['PORTAL_SERVICE_HOST', 'PORTAL_SERVICE_PORT_HTTP', 'LOGIN_PORT', 'LOGIN_PORT_443_TCP_ADDR'],
      ...['FLOW_HOOKS_URL', 'FLOW_HOOKS_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'EVENTSTOREDB_PORT_2113_TCP'],
    ];
    expect(unknownIn(Object.fromEntries(others.map((name) => [name, 'x'])))).to.deep.equal([]);
  });

  it('are none of the documented settings', () => {
    expect(documented).to.include.members(['MODE', 'UNSAFE', 'DEVELOPMENT_HOST', 'ADMIN_KEY']);
    const values = { ...Object.fromEntries(documented.map((name) => [name, ''])) };
    expect(unknownIn(values)).to.deep.equal([]);
  });
});
