import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Buildah, output } from './buildah.js';

/** Makes the image that the Dockerfile starts from, of Debian's packages and the Node and npm that run this, and gives it that name. */
export function makeBaseImage(buildah: Buildah, name: string): void {
  const [, version, suite = ''] = /^node:([\d.]+)-(\w+)-slim$/.exec(name) ?? [];
  if (`v${version}` !== process.version) throw new Error(`${name}: this is Node ${process.version}`);
  const container = buildah('from', 'scratch');
  const root = buildah('mount', container);
  output('debootstrap', '--variant=minbase', suite, root);
  addNode(root);
  addRegistry(root);
  output('chroot', root, 'useradd', '--uid', '1000', '--create-home', 'node');
  buildah('commit', '--rm', container, `docker.io/library/${name}`);
}

function addNode(root: string): void {
  const packages = join(root, 'usr/local/lib/node_modules');
  const programs = join(root, 'usr/local/bin');
  copyFileSync(process.execPath, join(programs, 'node'));
  mkdirSync(packages, { recursive: true });
  cpSync(resolve(process.env.npm_execpath ?? '', '../..'), join(packages, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(programs, 'npm'));
}

/** npm in the image uses the registry of the npm that runs this, and the authorities that it trusts. */
function addRegistry(root: string): void {
  const {
    npm_config_registry: registry,
    npm_config_cafile: cafile,
    NODE_EXTRA_CA_CERTS: trusted = cafile,
  } = process.env;
  const authorities = '/usr/local/etc/authorities.pem';
  if (trusted !== undefined) copyFileSync(trusted, join(root, authorities));
  const lines = [registry && `registry=${registry}`, trusted && `cafile=${authorities}`];
  writeFileSync(join(root, 'usr/local/etc/npmrc'), `${lines.filter(Boolean).join('\n')}\n`);
}
