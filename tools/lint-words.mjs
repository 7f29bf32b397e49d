// `npm run lint`: fails where a file uses a noun that has been replaced (what a platform registers is a listener, and has a hook URL),
// where a docstring begins without a subject (with a preposition, a pronoun or a question word) or documents nothing, and where code has a word of this project alone.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Recorded answers, generated and binary files, and the records of decisions, which name what they replaced. */
const skipped =
  /package-lock\.json$|requirements-\w+\.txt$|\.(webp|png|svg|ico)$|^test\/eventstoredb-double\/(scenarios|recordings)\/|^tools\/lint-words\.mjs$/;

const replaced = /(?<![a-z])hooks?(?![a-z])|Hooks?(?![a-z])|HOOKS?|(?:r|R)egistrations?(?![a-z])|REGISTRATION/;

/** Texts that keep these words: the specification's wire, the product's name, addresses, and the terms of others. */
const exceptions = [
  /flow[-_ ]?hooks?/gi,
  /web-?hooks?/gi,
  /hooks?[-_ ]?urls?/gi,
  /HOOKS_PREFIX|hooksPrefix/g,
  /\/hooks?(?![a-z])/g, // paths of URLs: /api/hooks, https://a.example/hook
  /api_?hooks/gi, // operations of the generated clients, named after their paths
  /hooks?\.([a-z-]+\.)*[a-z]{2,}/gi, // hosts: hooks.example.com
  /REST hooks?|type: 'hook'|"event", "hook"/g, // the platforms' own words
  /\b(async|perf)_hooks\b|'hook'(?=, 'test')|mochaHooks|ShutdownHook|IHookFunctions|before_hook|git hooks?/g,
  /client[- ]registrations?|registration_[a-z_]+|(?<=Dynamic Client )Registration/gi, // RFC 7591
  /(first|time of|moment of) registration|[Rr]egistration of (a )?(listener|client|task)/g, // the act
];

/** Words of this project alone, for which the field has one. */
const privateWords =
  /\b((?<=(?:const|let) )looks|rooms?|lanes?|attended|telling|noteCrowded|giveBack|gives? back|given back|goes on|went on|wanted|nobody|somebody|whoever)\b/i;

const withoutSubject =
  /\/\*\*[\s*]+((?:Of|For|As|By|In|With|Without|From|After|Before|Between|Until|To|On|At|Under|Beside|Below|Since|Per|It|Its|That|Those|These|This|Their|They|There|Them|What|Whether|When|How|Where|Who|Whoever|Nobody|So|Such)\b)/g;

/** A docstring before another one: the code that it was for has moved. */
const ofNothing = /\/\*\*(?!\s*@typedef)(?:(?!\*\/).)*\*\/[ \t]*\n\s*\/\*\*/gs;

const withDocstrings = /\.(tsx?|m?js)$/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !skipped.test(file));

let found = 0;
for (const file of files) {
  const text = readTextOf(file);
  if (withDocstrings.test(file)) {
    for (const { index, 1: word } of text.matchAll(withoutSubject)) {
      console.error(
        `${file}:${text.slice(0, index).split('\n').length}: ${word}: begin the docstring with a noun or a verb`,
      );
      found += 1;
    }
    for (const { index } of text.matchAll(ofNothing)) {
      console.error(`${file}:${text.slice(0, index).split('\n').length}: this docstring documents nothing`);
      found += 1;
    }
  }
  const lines = [file.replaceAll('/', ' '), ...text.split('\n')];
  for (const [number, line] of lines.entries()) {
    const [own] = /^(src|projections)\//.test(file) ? (line.match(privateWords) ?? []) : [];
    if (own) {
      console.error(`${file}:${number}: ${own}: say it in a word of the field (glossary in docs/architecture.md)`);
      found += 1;
    }
    const rest = exceptions.reduce((text, exception) => text.replace(exception, ''), line);
    const [word] = rest.match(replaced) ?? [];
    if (!word) continue;
    console.error(`${file}:${number}: ${word}: say listener, hook URL or subscription`);
    found += 1;
  }
}
process.exitCode = found === 0 ? 0 : 1;

/** Empty for a file that is deleted and not yet committed. */
function readTextOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
