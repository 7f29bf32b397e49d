import { restartWithBoundedMemory } from './kernel/bounded-memory.js';
import { refuseOldNode } from './kernel/node-version.js';
import { answerArguments } from './service/process-arguments.js';

refuseOldNode('npm start');
const answer = answerArguments(process.argv.slice(2));
if (answer) {
  process.stdout.write(answer.stdout);
  process.stderr.write(answer.stderr);
  process.exitCode = answer.exitCode;
} else {
  restartWithBoundedMemory();
  const { serve } = await import('./service/serve.js');
  await serve(process.env);
}
