import { describeFailure, errorLine, exitCodes } from './failure.js';
import { flowHooks } from './program.js';

// A reader such as `head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
});

const json = process.argv.includes('--json');
try {
  await (await flowHooks(process.env, { json, args: process.argv.slice(2) })).parseAsync();
} catch (error) {
  const { line, code, exitCode } = describeFailure(error);
  if (line !== undefined) process.stderr.write(errorLine({ code, message: line }, json));
  process.exitCode = exitCode;
}
