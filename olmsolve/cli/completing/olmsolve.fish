# Completion of olmsolve for fish 3 and newer:
#
#     olmsolve completion fish > ~/.config/fish/completions/olmsolve.fish

function __olmsolve_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines ($program completion fish --words $words "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            for line in (__fish_complete_path "$lines[3]")
                echo "$lines[2]$line"
            end
        case folders
            for line in (__fish_complete_directories "$lines[3]")
                echo "$lines[2]$line"
            end
        case words
            set -e lines[1..3]
            printf '%s\n' $lines
    end
end

complete -c olmsolve -e
complete -c olmsolve -k -f -a '(__olmsolve_complete)'
