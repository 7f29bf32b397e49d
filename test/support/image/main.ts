import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { rejection } from '../rejection.js';
import { serviceAt } from '../service/service.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { makeBaseImage } from './base-image.js';
import { buildahIn } from './buildah.js';
import { type Container, type ImageSettings, startContainer } from './container.js';
import { dockerfileStages } from './dockerfile.js';
import { walkArtefact } from './walk-artefact.js';

// `npm run test:image`, as root with Debian's packages buildah and debootstrap: builds the image of the Dockerfile, uses it, stops it.

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const buildah = buildahIn(temporaryDirectory());

async function step(title: string, work: () => unknown): Promise<void> {
  const beganAt = performance.now();
  await work();
  console.log(`${title}: ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`);
}

const bases = new Set(dockerfileStages().map(({ base }) => base));
for (const name of bases) await step(`made a stand-in for ${name}`, () => makeBaseImage(buildah, name));
await step('built the image', () => buildah('build', '--format=docker', '--pull-never', '--tag=flow-hooks', project));
const container = buildah('from', '--pull-never', 'flow-hooks');
const inspected = JSON.parse(buildah('inspect', container)) as { Docker: { config: ImageSettings } };
const settings = inspected.Docker.config;
const port = await reusablePort();
let running: Container | undefined;
try {
  await step('started it', async () => {
    running = await startContainer(buildah('mount', container), settings, { PORT: String(port) });
  });
  if (running) await use(running);
} finally {
  buildah('unmount', container);
}

async function use({ execute, stop, printed }: Container): Promise<void> {
  try {
    await step('is its user, who cannot write to the root', async () => {
      expect(settings.User).to.equal('1000:1000');
      expect((await execute('id', '--user')).trim()).to.equal('1000');
      expect(String(await rejection(execute('touch', '/data/../app/written')))).to.include('Read-only file system');
    });
    await step('is healthy', () => execute(...settings.Healthcheck.Test.slice(1)));
    await step('walked from subscribing to a delivery, over pages and commands', () =>
      walkArtefact(serviceAt(`http://127.0.0.1:${port}`), (...args) => execute('flow-hooks', ...args)),
    );
    await step('stopped by SIGTERM', async () => expect(await stop('SIGTERM')).to.equal(0));
  } catch (error) {
    console.log(printed());
    await stop('SIGKILL').catch(() => undefined); // it has ended
    throw error;
  }
}
