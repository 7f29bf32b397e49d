import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const prints = (command: string, ...args: readonly string[]): string => {
  const { error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error ? '' : `${stdout}${stderr}`;
};
const isFrom = (version: string | undefined, major: number, minor: number): boolean => {
  const [first = 0, second = 0] = (version ?? '').split('.').map(Number);
  return first > major || (first === major && second >= minor);
};

/** Debian's packages install it there. The first one has no window, and takes half the processor time. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
export const chromium = process.env.CHROMIUM ?? browsers.find((path) => existsSync(path));

/** The programs beside npm that some suites need, and how to get each. */
export const programs = {
  linux: {
    get: 'Linux, for /proc',
    isFound: () => process.platform === 'linux',
  },
  chromium: {
    get: "Debian's package chromium-headless-shell, or a path in CHROMIUM",
    isFound: () => chromium !== undefined,
  },
  java: {
    get: "a JDK from 17 on and Maven (Debian's packages default-jdk-headless and maven), for a stand-in for MongoDB; or MONGODB_URL",
    isFound: () =>
      process.env.MONGODB_URL !== undefined ||
      (prints('javac', '-version') !== '' && prints('mvn', '--version') !== ''),
  },
  'own-mongodb': {
    get: 'no MONGODB_URL: a server that it names is not stopped by tests',
    isFound: () => process.env.MONGODB_URL === undefined,
  },
  prometheus: {
    get: "Debian's package prometheus, or its programs prometheus and promtool on the PATH",
    isFound: () => ['prometheus', 'promtool'].every((name) => prints(name, '--version') !== ''),
  },
  python: {
    get: "Python from 3.11 on with pip (Debian's packages python3 and python3-pip)",
    isFound: () =>
      isFrom(/^Python ([\d.]+)/.exec(prints('python3', '--version'))?.[1], 3, 11) &&
      prints('python3', '-m', 'pip', '--version').startsWith('pip '),
  },
  go: {
    get: 'Go from 1.24 on (https://go.dev/dl)',
    isFound: () => isFrom(/go([\d.]+)/.exec(prints('go', 'env', 'GOVERSION'))?.[1], 1, 24),
  },
  helm: {
    get: 'helm (https://helm.sh), or Go, with which it is built in minutes',
    isFound: () => prints('helm', 'version') !== '' || prints('go', 'version') !== '',
  },
  nginx: {
    get: "Debian's package nginx",
    isFound: () => spawnSync('nginx', ['-v']).status === 0,
  },
  caddy: {
    get: "Debian's package caddy",
    isFound: () => prints('caddy', 'version') !== '',
  },
  systemd: {
    get: "Debian's package systemd, for systemd-analyze",
    isFound: () => prints('systemd-analyze', '--version') !== '',
  },
} satisfies Readonly<Record<string, { get: string; isFound: () => boolean }>>;

export type Program = keyof typeof programs;

const leftOutVariable = 'FLOW_HOOKS_TEST_WITHOUT';

/** The environment of test processes that leave out what needs these programs. */
export const without = (names: readonly string[]): Readonly<Record<string, string>> => ({
  [leftOutVariable]: names.join(','),
});

/**
 * True if tests that need the program are to be defined: asked while a file is loaded. If they are left out, the run says so in its last
 * line; if the program is missing, this defines one test that fails and says how to get it.
 */
export function needs(program: Program, missing?: Error): boolean {
  if (process.env[leftOutVariable]?.split(',').includes(program)) return false;
  if (!missing && programs[program].isFound()) return true;
  it(`has ${program}`, () => {
    throw missing ?? new Error(`${program} is missing: ${programs[program].get}`);
  });
  return false;
}
