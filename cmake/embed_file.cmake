# A raw string literal may hold 64 KiB; our texts are far below.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "#include <string_view>
namespace chorus::embedded {
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL} = R\"~~~~(${text})~~~~\";
}
")
