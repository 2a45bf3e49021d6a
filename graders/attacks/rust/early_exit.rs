// technique: constructor-exit
#[used]
#[cfg_attr(target_os = "linux", link_section = ".init_array")]
static PROCTOR_ATTACK: extern "C" fn() = {
    extern "C" fn attack() {
        std::process::exit(0)
    }
    attack
};
