// `npm run publishing`: writes what the owner decided in publishing.json into every package: name, version, licence, addresses.
// `-- --check` fails where a file differs. `-- --release` also fails while there is something left to decide.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenceTexts } from './licence-texts.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(project, path), 'utf8');
const decisions = JSON.parse(read('publishing.json'));

const licenceOf = ({ licence = decisions.licence }) => licence;
const changelogOf = (folder) => `${decisions.repository}/blob/main/${join(folder, 'CHANGELOG.md')}`;

/** PEP 639 knows SPDX expressions only. */
const spdx = (licence) => (licence === 'UNLICENSED' ? 'LicenseRef-Proprietary' : licence);

function licenceText(of) {
  const text = licenceTexts[licenceOf(of)];
  if (text === undefined)
    throw new Error(`tools/licence-texts.mjs has no text for ${licenceOf(of)}: add it, or choose another licence`);
  return text.replace('YEAR', decisions.year).replace('HOLDER', decisions.holder);
}

/** Replaces the pattern's matches, of which there has to be one at least. */
function replace(text, pattern, by) {
  if (text.search(pattern) < 0) throw new Error(`nothing matches ${pattern}`);
  return text.replace(pattern, by);
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** An app of Zapier is pushed to Zapier, and never published at npm. */
function npmManifest(path, { folder, name, ...rest }, isPublished = decisions.publish) {
  const { private: _, homepage, repository, bugs, author, publishConfig, ...manifest } = JSON.parse(read(path));
  const { description, ...others } = manifest;
  return json({
    name,
    version: decisions.version,
    description,
    license: licenceOf(rest),
    ...(!isPublished && { private: true }),
    homepage: decisions.homepage,
    repository: {
      type: 'git',
      url: `git+${decisions.repository}.git`,
      ...(folder !== '.' && { directory: folder }),
    },
    bugs: { url: `${decisions.repository}/issues` },
    author: decisions.author,
    ...(isPublished && { publishConfig: { access: 'public', provenance: true } }),
    ...Object.fromEntries(Object.entries(others).filter(([field]) => !['name', 'version', 'license'].includes(field))),
  });
}

function npmLock(path, { name, ...rest }) {
  const lock = JSON.parse(read(path));
  const own = { ...lock.packages[''], name, version: decisions.version, license: licenceOf(rest) };
  return json({ ...lock, name, version: decisions.version, packages: { ...lock.packages, '': own } });
}

function pythonManifest(path, { folder, name, ...rest }) {
  let text = replace(read(path), /^name = ".*"$/m, `name = "${name}"`);
  text = replace(text, /^license = ".*"$/m, `license = "${spdx(licenceOf(rest))}"`);
  const { name: author, email } = decisions.author;
  text = replace(text, /^authors = .*$/m, `authors = [{ name = "${author}", email = "${email}" }]`);
  const classifiers = decisions.publish ? [] : ['Private :: Do Not Upload'];
  const list = [...classifiers, 'Typing :: Typed'].map((each) => `"${each}"`).join(', ');
  text = replace(text, /^classifiers = .*$/m, `classifiers = [${list}]`);
  const urls = [
    `Homepage = "${decisions.homepage}"`,
    `Repository = "${decisions.repository}"`,
    `Issues = "${decisions.repository}/issues"`,
    `Changelog = "${changelogOf(folder)}"`,
  ];
  return replace(text, /^\[project\.urls\]\n(\w+ = .*\n)*/m, `[project.urls]\n${urls.join('\n')}\n`);
}

/** A module is named after its folder in the repository. */
const goModule = (folder) => `${new URL(decisions.repository).host}${new URL(decisions.repository).pathname}/${folder}`;

function goFile(path, folder) {
  const module = /^module (.+)$/m.exec(read(join(folder, 'go.mod')))[1];
  return read(path).replaceAll(module, goModule(folder));
}

function chart(path, { name }) {
  const { version, homepage, repository, author } = decisions;
  let text = replace(read(path), /^name: .*$/m, `name: ${name}`);
  text = replace(text, /^version: .*$/m, `version: ${version}`);
  text = replace(text, /^appVersion: .*$/m, `appVersion: ${version}`);
  text = replace(text, /^home: .*$/m, `home: ${homepage}`);
  text = replace(text, /^sources: .*$/m, `sources: ["${repository}"]`);
  return replace(text, /^maintainers: .*$/m, `maintainers: [{ name: "${author.name}", email: ${author.email} }]`);
}

/** Path and content of each file that states a decision, of one package. */
function filesOf({ kind, ...rest }) {
  const at = (path) => join(rest.folder, path);
  const licence = [at('LICENSE'), licenceText(rest)];
  if (kind === 'npm' || kind === 'zapier')
    return [
      licence,
      [at('package.json'), npmManifest(at('package.json'), rest, decisions.publish && kind === 'npm')],
      [at('package-lock.json'), npmLock(at('package-lock.json'), rest)],
    ];
  if (kind === 'python')
    return [
      licence,
      [at('pyproject.toml'), pythonManifest(at('pyproject.toml'), rest)],
      [at('src/flow_hooks/version.py'), `__version__ = "${decisions.version}"\n`],
    ];
  if (kind === 'go')
    return [
      licence,
      [at('go.mod'), goFile(at('go.mod'), rest.folder)],
      [at('README.md'), goFile(at('README.md'), rest.folder)],
      [
        at('version.go'),
        replace(read(at('version.go')), /^const Version = .*$/m, `const Version = "${decisions.version}"`),
      ],
    ];
  const values = at('ci/example-values.yaml');
  return [
    licence,
    [at('Chart.yaml'), chart(at('Chart.yaml'), rest)],
    [values, replace(read(values), /^ {2}repository: .*$/m, `  repository: ${decisions.image}`)],
  ];
}

const files = [
  ...decisions.packages.flatMap(filesOf),
  ['SECURITY.md', replace(read('SECURITY.md'), /^Write to \S+,/m, `Write to ${decisions.security},`)],
];

/** Absent counts as different. */
function isWritten([path, content]) {
  try {
    return read(path) === content;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

const different = files.filter((file) => !isWritten(file));
const release = process.argv.includes('--release');
if (release || process.argv.includes('--check')) {
  for (const [path] of different) console.error(`${path} differs from publishing.json: run \`npm run publishing\``);
  const undecided = release
    ? Object.entries(decisions).filter(([, value]) =>
        /\bexample\b|UNLICENSED|the owner of|^false$/.test(JSON.stringify(value)),
      )
    : [];
  for (const [name] of undecided) console.error(`publishing.json: decide ${name}`);
  process.exitCode = different.length + undecided.length === 0 ? 0 : 1;
} else {
  for (const [path, content] of different) {
    writeFileSync(join(project, path), content);
    console.log(`wrote ${path}`);
  }
}
