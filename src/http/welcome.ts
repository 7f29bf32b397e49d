import type { Config } from '../config.js';
import { version } from '../version.js';

/** What a start prints: the mode, where things are and, in development mode, a walk to paste into another terminal. */
export function welcome(config: Config, origin: string): string {
  const { mode, dataDirectory } = config;
  if (mode === 'production') {
    return `Flow Hooks ${version} in production mode, data in ${dataDirectory}, serving on ${origin}`;
  }
  return [
    `Flow Hooks ${version} in development mode (it believes every caller, on loopback only), serving on ${origin}`,
    '',
    `  Sign-in    ${origin}/sign-in`,
    `  Data       ${dataDirectory} (the admin key is in admin-key.txt there)`,
    '',
    'A walk, to paste line by line into a second terminal in this folder:',
    '',
    ...walk(config, origin).map((line) => `  ${line}`),
  ].join('\n');
}

function walk({ http, dataDirectory }: Config, origin: string): readonly string[] {
  const cli =
    dataDirectory === `${process.cwd()}/data` ? 'npx flow-hooks' : `npx flow-hooks --data-dir ${dataDirectory}`;
  const hook = '"hookUrl":"http://127.0.0.1:4000/hook"';
  const asAda = `-H "Authorization: Bearer $TOKEN" -H 'orgid: acme' -H 'userid: ada' -H 'Content-Type: application/json'`;
  const field = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\).*/\\1/'`;
  return [
    `${cli} listen --port 4000 &`,
    `CODE=$(curl -s ${origin}/sign-in -H 'Accept: application/json' -d user_id=ada -d org_id=acme | ${field('code')})`,
    `TOKEN=$(curl -s ${origin}/access -d grant_type=authorization_code -d code=$CODE | ${field('access_token')})`,
    `curl -s ${origin}/test -H "Authorization: Bearer $TOKEN"; echo`,
    `curl -s ${origin}${http.hooksPrefix}/subscribe/flows ${asAda} -d '{${hook},"subscriptionType":"flow.*"}'; echo`,
    `curl -s ${origin}/api/flows ${asAda} -d '{"type":"flow.completed","data":{"total":42}}'; echo`,
    `curl -s ${origin}${http.hooksPrefix}/unsubscribe/flows ${asAda} -d '{${hook}}'; echo`,
    `${cli} flows publish --org acme --type flow.completed   # silence: the hook is gone`,
    `${cli} audit history --org acme`,
    'kill %1',
  ];
}
