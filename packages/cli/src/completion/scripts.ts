export type Shell = 'bash' | 'zsh' | 'fish';

/** Shell scripts that call the command for completions, which are derived from its command tree. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return BASH;
    case 'zsh':
      return ZSH;
    case 'fish':
      return FISH;
  }
}

/** One candidate per line; without any the shell completes file names. */
const BASH = `_fairway() {
  local IFS=$'\\n'
  COMPREPLY=($(fairway __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _fairway fairway
`;

const ZSH = `#compdef fairway
_fairway() {
  local -a candidates
  candidates=("\${(@f)$(fairway __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#candidates} )) && [[ -n "\${candidates[1]}" ]]; then
    compadd -- "\${candidates[@]}"
  else
    _files
  fi
}
compdef _fairway fairway
`;

const FISH = `function __fairway_complete
  set -l words (commandline -opc) (commandline -ct)
  fairway __complete -- $words[2..-1] 2>/dev/null
end
complete -c fairway -a '(__fairway_complete)'
`;
