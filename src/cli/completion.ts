/** `lamina completion`: a script by which a shell completes the command line. */

import type { Command } from './command.ts';
import { COMPLETION_SCRIPTS, SHELLS } from './completion-scripts.ts';
import { EXIT_CODES } from './exit-code.ts';

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script by which bash, zsh or fish completes lamina.',
  parameters: [{ name: 'SHELL', description: 'The shell', choices: SHELLS }],
  flags: [],
  examples: [
    { line: 'lamina completion bash', does: 'Put it to use with: source <(lamina completion bash), in ~/.bashrc.' },
    { line: 'lamina completion zsh', does: 'With: source <(lamina completion zsh), in ~/.zshrc after compinit.' },
    { line: 'lamina completion fish', does: 'With: lamina completion fish > ~/.config/fish/completions/lamina.fish' },
  ],
  async run({ words, terminal }) {
    // The table of commands has this one too.
    const { COMMANDS } = await import('./commands.ts');
    const shell = SHELLS.find((each) => each === words[0]) ?? 'bash';
    terminal.stdout.write(COMPLETION_SCRIPTS[shell](COMMANDS));
    return EXIT_CODES.ok.code;
  },
};
