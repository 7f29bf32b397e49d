import childProcess, { ChildProcess } from 'node:child_process';
import { Socket } from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import { Server } from 'node:net';

// Mocha requires this for the fast tests: they fail where they start a process or a server, also if they catch the error.

const trespasses: string[] = [];

function refuse(what: string): () => never {
  return () => {
    trespasses.push(what);
    throw new Error(`a fast test ${what}`);
  };
}

Server.prototype.listen = refuse('starts a server');
Socket.prototype.bind = refuse('starts a server');
Object.assign(ChildProcess.prototype, { spawn: refuse('starts a process') });
for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) childProcess[name] = refuse('starts a process');
syncBuiltinESMExports();

export const mochaHooks = {
  afterEach(): void {
    const [first] = trespasses.splice(0);
    if (first !== undefined) throw new Error(`a fast test ${first}, and continues`);
  },
};
