// `npm run sbom`: prints the packages that users get, with versions and licences, in the format of CycloneDX.
// Made offline from package-lock.json. `npm sbom --omit dev` leaves out packages that development packages need too, such as koa.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const output = execFileSync('npm', ['sbom', ...options], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  maxBuffer: 67_108_864,
  shell: process.platform === 'win32',
});
const { components, dependencies, ...document } = JSON.parse(output);

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
const left = components.filter((component) => !isForDevelopment(component));
const references = new Set([document.metadata.component, ...left].map((component) => component['bom-ref']));
const edges = dependencies
  .filter(({ ref }) => references.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) }));
console.log(JSON.stringify({ ...document, components: left, dependencies: edges }, null, 2));
