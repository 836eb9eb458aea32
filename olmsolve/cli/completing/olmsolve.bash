# Completion of olmsolve for Bash 3.2 and newer. In ~/.bashrc:
#
#     eval "$(olmsolve completion bash)"

_olmsolve() {
    local program=${COMP_WORDS[0]} kind head rest line
    # What was typed may begin with ~, which only unquoted words have expanded.
    program=${program/#\~/$HOME}
    COMPREPLY=()
    {
        IFS= read -r kind
        IFS= read -r head
        IFS= read -r rest
        case $kind in
        files | folders)
            local only=-f
            [[ $kind == folders ]] && only=-d
            while IFS= read -r line; do
                COMPREPLY+=("$head$line")
            done < <(compgen "$only" -- "$rest")
            # Bash then adds a slash to folders, and quotes what needs it; version 3.2 cannot.
            compopt -o filenames 2>/dev/null
            ;;
        words)
            while IFS= read -r line; do
                COMPREPLY+=("$line")
            done
            ;;
        esac
    } < <("$program" completion bash --words "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}

complete -F _olmsolve olmsolve
