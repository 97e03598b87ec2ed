#!/usr/bin/env bash
# A real nginx in front of the server: TLS, HTTP/2, its own error pages.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
nginx=$(PATH=$PATH:/usr/sbin command -v nginx) || { echo "this test needs nginx"; exit 1; }

proxy() { # PORT of the server behind it: nginx on $front, its certificate in cert.pem
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=x \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    mkdir -p logs temporary
    front=$1
    until cat >nginx.conf <<CONF && "$nginx" -p "$scratch" -c nginx.conf -e logs/error.log 2>/dev/null; do
worker_processes 1;
user $(id -un) $(id -gn);
pid nginx.pid;
events {}
http {
    log_format seen '\$server_protocol \$status \$connection';
    access_log logs/access.log seen;
    client_body_temp_path temporary; proxy_temp_path temporary; fastcgi_temp_path temporary;
    uwsgi_temp_path temporary; scgi_temp_path temporary;
    server {
        listen 127.0.0.1:$((front + 1)) ssl http2;
        ssl_certificate cert.pem;
        ssl_certificate_key key.pem;
        client_max_body_size 64m;
        location / { proxy_pass http://127.0.0.1:$1; proxy_http_version 1.1; proxy_buffering off; }
    }
}
CONF
        front=$((front + 17))
        [ $front -gt 65000 ] && front=20000
    done
    front=$((front + 1))
    export SSL_CERT_FILE=$scratch/cert.pem CHORUS_ANTHROPIC_BASE_URL=https://127.0.0.1:$front
    export CHORUS_OPENAI_BASE_URL=$CHORUS_ANTHROPIC_BASE_URL/v1 CHORUS_OPENAI_CHAT_BASE_URL=$CHORUS_ANTHROPIC_BASE_URL/v1
}
end_proxy() {
    kill "$(cat "$scratch/nginx.pid")"
    unset SSL_CERT_FILE
}

for model in anthropic/m openai/m openai-chat/m; do
    test_case "$model: a turn with tools over TLS and HTTP/2, on one connection"
    init a --model $model --permissions open
    long=$(printf 'Zeile %d ☕ ' {1..4000})
    start_server "$(answers "$(call c1 list_files '{}')" "$(call c2 create_file '{"path": "f", "content": "ünï"}')" "$(say "$long")")"
    proxy "$port"
    run chorus-run a hi
    expect_status 0
    expect_equal "$out" "$long"
    expect_file "$CHORUS_HOME/agents/a/workspace/f" ünï
    expect_equal "$(cut -d' ' -f1,2 logs/access.log | sort | uniq -c | tr -s ' ')" ' 3 HTTP/2.0 200'
    expect_equal "$(cut -d' ' -f3 logs/access.log | sort -u | wc -l)" 1
    run chorus-run a --stream again
    expect_equal "$status $out" "0 $long"
    # nginx answers itself now, with a web page
    kill "$server_pid"; wait "$server_pid" 2>/dev/null; server_pid=''
    home_key max_retries 1
    run chorus-run a more
    expect_status 7
    expect_match "$err" "502: a web page: 502 Bad Gateway"
    expect_equal "$(grep -c ' 502 ' logs/access.log)" 2
    end_proxy
done

test_case "without its certificate nothing is sent, and it is tried once"
init a --model anthropic/m
start_server "$(answers "$(say hello)")"
proxy "$port"
unset SSL_CERT_FILE
run chorus-run a hi
expect_status 7
expect_match "$err" 'certificate not accepted: 127.0.0.1:[0-9]*: self-signed certificate'
expect_equal "$(wc -l <logs/access.log)" 0
end_proxy

end_tests
