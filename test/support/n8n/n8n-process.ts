import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../install-npm-packages.js';
import { ownEnvironment } from '../own-environment.js';
import { startProcess } from '../process.js';

const startLimitMs = 180_000;

export type N8nProcess = {
  origin: string;
  printed: () => string;
  stop: () => Promise<unknown>;
};

/** Installs a packed community package as n8n does: into the folder `nodes` of its user folder. */
export function installNodes(userFolder: string, archive: string): void {
  const nodes = join(userFolder, '.n8n', 'nodes');
  mkdirSync(nodes, { recursive: true });
  npm(nodes, 'install', archive, '--ignore-scripts', '--legacy-peer-deps');
}

/** `broker`: where the task runner of n8n, its own process, finds it. */
export type N8nPorts = { http: number; broker: number };

/** Starts n8n on these ports of 127.0.0.1, with its data in `userFolder`, and waits until it serves. */
export async function startN8n(
  n8nFolder: string,
  userFolder: string,
  { http: port, broker }: N8nPorts,
  environment: Readonly<Record<string, string>> = {},
): Promise<N8nProcess> {
  const { prints, printed, stop } = startProcess(
    process.execPath,
    [join(n8nFolder, 'node_modules/n8n/bin/n8n'), 'start'],
    {
      env: {
        ...ownEnvironment(),
        HOME: userFolder,
        N8N_USER_FOLDER: userFolder,
        N8N_PORT: `${port}`,
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_HOST: '127.0.0.1',
        N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
        WEBHOOK_URL: `http://127.0.0.1:${port}/`,
        N8N_RUNNERS_BROKER_PORT: `${broker}`,
        N8N_SECURE_COOKIE: 'false',
        // It asks no server on the Internet for anything.
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
        N8N_TEMPLATES_ENABLED: 'false',
        N8N_PERSONALIZATION_ENABLED: 'false',
        ...environment,
      },
    },
  );
  await prints(/Editor is now accessible via/, startLimitMs);
  return { origin: `http://127.0.0.1:${port}`, printed, stop };
}
