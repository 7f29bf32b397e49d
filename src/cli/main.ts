import { describeFailure, exitCodes } from './failure.js';
import { flowHooks } from './program.js';

// The reader of the output may have seen enough (`| head`): that is no failure.
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
