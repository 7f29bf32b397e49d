import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from '../made-once.js';

const versions = {
  openApiGenerator: '7.25.0',
  oapiCodegen: 'v2.8.2',
  spectral: '6.16.3',
  redocly: '2.77.0',
} as const;

const limitMs = 600_000;
const maxPrintedBytes = 64 * 1024 * 1024;

/** Resolves to what the program prints. Rejects with an error that has both outputs if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, environment = {} }: { cwd?: string; environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...environment }, timeout: limitMs, maxBuffer: maxPrintedBytes };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Generates a client from the description in a file. */
export async function openApiGenerator(
  generator: 'java' | 'go' | 'python',
  { description, folder, options = [] }: { description: string; folder: string; options?: readonly string[] },
): Promise<void> {
  const jar = join(generatorFolder(), `openapi-generator-cli-${versions.openApiGenerator}.jar`);
  await run('java', ['-jar', jar, 'generate', '-g', generator, '-i', description, '-o', folder, ...options]);
}

/** SHA-256 of the jar: Maven compares jars with no digest of ours. */
const generatorDigest = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';

const generatorFolder = (): string =>
  madeOnce(`openapi-generator-${versions.openApiGenerator}`, (folder) => {
    const artifact = `org.openapitools:openapi-generator-cli:${versions.openApiGenerator}`;
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
    execFileSync('mvn', ['--batch-mode', '--quiet', goal, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
    const jar = readFileSync(join(folder, `openapi-generator-cli-${versions.openApiGenerator}.jar`));
    const digest = createHash('sha256').update(jar).digest('hex');
    if (digest !== generatorDigest) throw new Error(`${artifact} has the SHA-256 ${digest}, not ${generatorDigest}`);
  });

/**
 * Generates a Go file with the types and the client of the description in a file. Without `skip-prune`, components
 * that only webhooks refer to are left out, and the types of the webhooks do not compile.
 */
export const oapiCodegen = (description: string, file: string): Promise<string> => {
  const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions.oapiCodegen}`;
  const options = ['-generate', 'types,client,skip-prune', '-package', 'oapi', '-o', file, description];
  return run('go', ['run', program, ...options]);
};

/** Findings of spectral with its rules for OpenAPI, as JSON: an empty list if nothing. */
export const spectral = (description: string, ruleset: string): Promise<string> =>
  npmProgram(`@stoplight/spectral-cli@${versions.spectral}`, [
    ...['spectral', 'lint', '--quiet', '--format=json', `--ruleset=${ruleset}`, '--fail-severity=hint', description],
  ]);

/** Findings of redocly with its recommended rules, as JSON. */
export const redocly = (description: string): Promise<string> =>
  npmProgram(`@redocly/cli@${versions.redocly}`, ['redocly', 'lint', '--format=json', description]);

const npmProgram = (name: string, command: readonly string[]): Promise<string> =>
  run('npm', ['exec', '--yes', '--ignore-scripts', `--package=${name}`, '--', ...command]);
