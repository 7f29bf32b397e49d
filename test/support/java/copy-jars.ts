import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const fetchLimitMs = 300_000;

/**
 * Copies the jars that a pom.xml names, with those that they need, into a folder. Maven fetches what its own cache lacks. Throws an
 * error that says so if mvn is missing or fails.
 */
export async function copyJars(pom: string, folder: string): Promise<void> {
  const goal = [
    '--batch-mode',
    '--quiet',
    '--file',
    pom,
    'dependency:copy-dependencies',
    `-DoutputDirectory=${folder}`,
  ];
  await run('mvn', goal, { timeout: fetchLimitMs }).catch((error: NodeJS.ErrnoException & { stdout?: string }) => {
    if (error.code === 'ENOENT') throw new Error(`no mvn on the PATH to fetch the jars of ${pom} with`);
    const said = `${error.stdout ?? ''}`.trim().split('\n').slice(0, 3).join('\n') || error.message;
    throw new Error(`mvn could not fetch the jars of ${pom}: ${said}`);
  });
}
