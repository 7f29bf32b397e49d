import { describeFailure, errorLine } from '../../../src/cli/failure.js';
import { flowHooks } from '../../../src/cli/program.js';
import { type CliPlace, type CliResult, environmentOf, jsonLines } from './cli.js';

let running: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `runCli` does, in the process of the test, in a tenth of the time: for commands whose process does not matter.
 * One runs after the other, since they share the environment and the output.
 */
export function runCommand(place: CliPlace, ...args: readonly string[]): Promise<CliResult> {
  const result = running.then(() => run(environmentOf(place), args));
  running = result.catch(() => undefined);
  return result;
}

/** Works as `runCommand` with `--json`: returns the values that it printed. */
export async function runCommandForJson(place: CliPlace, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runCommand(place, '--json', ...args);
  if (code !== 0) throw new Error(`flow-hooks ${args.join(' ')} ended with ${code}: ${stderr}`);
  return jsonLines(stdout);
}

async function run(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<CliResult> {
  const { env } = process;
  const [out, error] = [captured(process.stdout), captured(process.stderr)];
  process.env = environment;
  let code = 0;
  try {
    const json = args.includes('--json');
    try {
      await (await flowHooks(environment, { json, args })).parseAsync(args, { from: 'user' });
    } catch (thrown) {
      const failure = describeFailure(thrown);
      if (failure.line !== undefined)
        process.stderr.write(errorLine({ code: failure.code, message: failure.line }, json));
      code = failure.exitCode;
    }
  } finally {
    process.env = env;
  }
  return { code, stdout: out.end(), stderr: error.end() };
}

function captured(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  };
  return {
    end() {
      stream.write = write;
      return text;
    },
  };
}
