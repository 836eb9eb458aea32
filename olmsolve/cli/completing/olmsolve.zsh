#compdef olmsolve
# Completion of olmsolve for zsh 5 and newer. In ~/.zshrc, after compinit:
#
#     eval "$(olmsolve completion zsh)"

_olmsolve() {
    local program=${(Q)words[1]} kind head rest
    local -a lines candidates
    # What was typed may begin with ~, which only unquoted words have expanded.
    program=${program/#\~/$HOME}
    lines=("${(@f)$("$program" completion zsh --words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$lines[1] head=$lines[2] rest=$lines[3]
    case $kind in
    files)
        compset -p ${#head}
        _files
        ;;
    folders)
        compset -p ${#head}
        _files -/
        ;;
    words)
        candidates=("${(@)lines[4,-1]}")
        _describe -t words olmsolve candidates
        ;;
    esac
}

# A file in $fpath is the body of the function when it is first called; otherwise zsh is told what it completes.
if [[ ${funcstack[1]} == _olmsolve ]]; then
    _olmsolve "$@"
else
    compdef _olmsolve olmsolve
fi
