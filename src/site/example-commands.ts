import { resolve } from 'node:path';
import type { Mode } from '../kernel/settings/setting.js';

/** Commands that work on the service as it runs, for pages that have nothing to show yet. */
export type ExampleCommands = {
  /** Command of the command line: `cli('tasks register')`. */
  cli: (command: string) => string;
  /** Registers a listener, as a platform does. */
  subscribe: string;
};

export type ExampleSettings = {
  mode: Mode;
  http: { hooksPrefix: string };
  /** Data directory of the embedded store. */
  dataDirectory: string;
};

/** `address`: the public URL of the service, without a slash at the end. */
export function exampleCommands({ mode, http, dataDirectory }: ExampleSettings, address: string): ExampleCommands {
  const json = "-H 'content-type: application/json'";
  const subscription = '"hookUrl": "https://hooks.example.com/1", "subscriptionType": "flow.*"';
  if (mode === 'production') {
    return {
      cli: (command) => `flow-hooks ${command}`, // after flow-hooks login, or in the container
      subscribe: `curl '${address}/admin/api/listeners' \\\n  -H "authorization: Bearer $ADMIN_KEY" ${json} \\\n  -d '{"orgId": "acme", "userId": "42", ${subscription}}'`,
    };
  }
  const directory = dataDirectory === resolve('data') ? '' : ` --data-dir '${dataDirectory.replaceAll("'", "'\\''")}'`;
  return {
    cli: (command) => `npx flow-hooks${directory} ${command}`,
    // Development mode believes these headers.
    subscribe: `curl '${address}${http.hooksPrefix}/subscribe/flows' \\\n  -H 'orgid: acme' -H 'userid: 42' ${json} \\\n  -d '{${subscription}}'`,
  };
}
