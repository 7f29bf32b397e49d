import type { Command } from 'commander';
import type { CommandContext } from '../context.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** A word that may follow, with its description. */
type Word = readonly [word: string, description: string];

/** Words after a command. `path`: the words of the command, each after a blank. */
type Place = {
  path: string;
  commands: readonly Word[];
  options: readonly Word[];
  /** Values of arguments. */
  values: readonly string[];
  /** Values of options. */
  choices: readonly (readonly [option: string, values: readonly string[]])[];
};

/** Prints the completion of all commands and options for a shell. */
export async function completion(shell: Shell, _: object, { output, program }: CommandContext): Promise<void> {
  const general: readonly Word[] = [...optionsOf(program), ['--help', 'shows help']];
  output.write(scripts[shell](placesOf(program), general));
}

const optionsOf = ({ options }: Command): readonly Word[] =>
  options.map(({ long, description }) => [long ?? '', sentence(description)]);

function placesOf(command: Command, path = ''): readonly Place[] {
  const { options, parent } = command;
  const place: Place = {
    path,
    commands: command.commands.map((each) => [each.name(), sentence(each.description())]),
    options: parent ? optionsOf(command) : [], // those of the program are allowed everywhere
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    choices: options.flatMap(({ long, argChoices }) => (argChoices ? [[long ?? '', argChoices] as const] : [])),
  };
  return [place, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

/** The first part of a description, for one line beside the word. */
const sentence = (description: string): string => (description.split(/[;:]/)[0] ?? '').replace(/\s+/g, ' ');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const pathsOf = (places: readonly Place[]): readonly string[] =>
  places.map(({ path }) => path).filter((path) => path !== '');

/** `general`: options that are allowed after each command. */
type Script = (places: readonly Place[], general: readonly Word[]) => string;

const bash: Script = (places, general) => `_flow_hooks() {
  local at= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${pathsOf(places).map(quoted).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map(({ path, ...place }) => `    ${quoted(path)}) words=${quoted(wordsOf(place).join(' '))} ;;`).join('\n')}
  esac
  words="$words ${general.map(([option]) => option).join(' ')}"
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${choicesOf(places, (place, values) => `    ${place}) words=${quoted(values.join(' '))} ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flow_hooks flow-hooks`;

const zsh: Script = (places, general) => `#compdef flow-hooks
_flow_hooks() {
  local at= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${pathsOf(places).map(quoted).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) found=(${describedOf(place).map(zshWord).join(' ')}) ;;`).join('\n')}
  esac
  found+=(${general.map(zshWord).join(' ')})
  case "$at \${words[CURRENT-1]}" in
${choicesOf(places, (place, values) => `    ${place}) found=(${values.map(quoted).join(' ')}) ;;`)}
  esac
  _describe flow-hooks found || _files
}
compdef _flow_hooks flow-hooks`;

const zshWord = ([word, description]: Word): string => quoted(`${word.replaceAll(':', '\\:')}:${description}`);

const fish: Script = (places, general) => `function __flow_hooks_at
  set -l at
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${pathsOf(places).map(quoted).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${general.map(([option, description]) => `complete -c flow-hooks -l ${option.slice(2)} -d ${quoted(description)}`).join('\n')}
${places.flatMap(fishLines).join('\n')}`;

function fishLines({ path, commands, options, values, choices }: Place): readonly string[] {
  const complete = `complete -c flow-hooks -n ${quoted(`__flow_hooks_at ${quoted(path)}`)}`;
  const valuesOf = new Map(choices);
  return [
    ...commands.map(([word, description]) => `${complete} -f -a ${quoted(word)} -d ${quoted(description)}`),
    ...values.map((value) => `${complete} -f -a ${quoted(value)}`),
    ...options.map(([option, description]) => {
      const ofOption = valuesOf.get(option);
      const more = ofOption ? ` -x -a ${quoted(ofOption.join(' '))}` : '';
      return `${complete} -l ${option.slice(2)}${more} -d ${quoted(description)}`;
    }),
  ];
}

const describedOf = ({ commands, values, options }: Place): readonly Word[] => [
  ...commands,
  ...values.map((value): Word => [value, '']),
  ...options,
];

const wordsOf = ({ commands, values, options }: Omit<Place, 'path'>): readonly string[] => [
  ...commands.map(([word]) => word),
  ...values,
  ...options.map(([option]) => option),
];

const choicesOf = (places: readonly Place[], line: (place: string, values: readonly string[]) => string): string =>
  places
    .flatMap(({ path, choices }) => choices.map(([option, values]) => line(quoted(`${path} ${option}`), values)))
    .join('\n');

const scripts: Readonly<Record<Shell, Script>> = { bash, zsh, fish };
