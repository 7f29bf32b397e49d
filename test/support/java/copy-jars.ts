import { execFileSync } from 'node:child_process';

const fetchLimitMs = 300_000;

/**
 * Copies the jars that a pom.xml names, with those that they need, into a folder. Maven fetches what its own cache lacks. Throws an
 * error that says so if mvn is missing or fails.
 */
export function copyJars(pom: string, folder: string): void {
  const goal = [
    '--batch-mode',
    '--quiet',
    '--file',
    pom,
    'dependency:copy-dependencies',
    `-DoutputDirectory=${folder}`,
  ];
  try {
    execFileSync('mvn', goal, { timeout: fetchLimitMs, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  } catch (error) {
    const { code, stdout = '', message } = error as NodeJS.ErrnoException & { stdout?: string };
    if (code === 'ENOENT') throw new Error(`no mvn on the PATH to fetch the jars of ${pom} with`);
    throw new Error(
      `mvn could not fetch the jars of ${pom}: ${stdout.trim().split('\n').slice(0, 3).join('\n') || message}`,
    );
  }
}
