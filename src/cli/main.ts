import { describeFailure, exitCodes } from './failure.js';
import { flowHooks } from './program.js';

// A reader such as `head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
});

try {
  await flowHooks(process.env).parseAsync();
} catch (error) {
  const { line, exitCode } = describeFailure(error);
  if (line !== undefined) process.stderr.write(`flow-hooks: ${line}\n`);
  process.exitCode = exitCode;
}
